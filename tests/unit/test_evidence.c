/* SPDX-License-Identifier: MIT */
/* Visits of made-up samples: kept, excluded, contradicted. */
#include <string.h>

#include "made_up.h"
#include "tests.h"

/* A case, and one that gets samples from its callbacks. */
static struct case_run parent, fed;
static struct case_run *runs[] = { &parent, &fed };
static struct bench b = { .runs = runs, .n_runs = 2 };

static void wipe(struct case_run *run, size_t id)
{
	made_up_free(run);
	*run = made_up((struct bench_case) { .id = id });
}

static void begin(void)
{
	wipe(&parent, 0);
	wipe(&fed, 1);
	b.verdict.visits = 0;
}

/* A visit of one sample for each, @pure of 1000 bytes from the cache. */
static bool visit(double pure, double proof)
{
	bool again;

	evidence_begin(&b, &parent);
	b.now.current = &parent;
	b.now.phase = PHASE_SAMPLE;
	parent.got.involuntary++;
	bench_record(&b, &parent.c, 5);
	bench_record(&b, &fed.c, 7);
	bench_purity(&b, &parent.c, "bytes_from_cache", 0.99, 400, 400);
	bench_purity(&b, &parent.c, "bytes_from_cache", 0.99, 600, pure - 400);
	bench_proof(&b, &parent.c, "bytes_right", 1000, proof);
	b.now.phase = PHASE_IDLE;
	b.now.current = NULL;
	again = evidence_settle(&b, &parent);
	b.now.n_fed = 0;
	return again;
}

static double number(json_t *o, const char *what, const char *key)
{
	return json_number_value(
		json_object_get(json_object_get(o, what), key));
}

static bool set_aside_one(const struct case_run *run)
{
	json_t *o = rows_set_aside(run);
	const bool one =
		json_integer_value(json_object_get(o, "visits")) == 1 &&
		number(o, "reasons", "bytes_from_cache") == 1;

	json_decref(o);
	return one;
}

TEST(purity)
{
	json_t *o;

	begin();
	OK(!visit(1000, 1000) && parent.got.events.n == 1,
	   "what is pure is kept");
	OK(!visit(999, 1000) && parent.got.events.n == 2,
	   "99.9 % of a share of 99 % are enough");
	OK(visit(980, 1000) && parent.got.events.n == 2 &&
		   fed.got.events.n == 2,
	   "98 % are not: the visit is excluded, and what it fed");
	OK(parent.got.involuntary == 2, "with what disturbed it");
	OK(!evidence_contradicted(&parent), "but that is no lie");
	evidence_conclude(&b);
	OK(parent.verdict.state == CASE_ASKED,
	   "and the other visits have a value");
	o = rows_evidence(&parent);
	OK(number(o, "bytes_from_cache", "expected") == 2000 &&
		   number(o, "bytes_from_cache", "seen") == 1999 &&
		   number(o, "bytes_from_cache", "share") == 0.99,
	   "the evidence is of what was kept");
	json_decref(o);
	OK(set_aside_one(&parent) && set_aside_one(&fed),
	   "one visit is excluded with its reason, also of what it fed");
}

TEST(warming_up)
{
	begin();
	evidence_begin(&b, &parent);
	b.now.warming_up = true;
	bench_purity(&b, &parent.c, "at_work", 0.5, 5, 5);
	b.now.warming_up = false;
	bench_purity(&b, &parent.c, "at_work", 0.5, 5, 0);
	OK(evidence_settle(&b, &parent),
	   "warming up pure does not make up for impure samples");
	evidence_conclude(&b);
	OK(parent.verdict.state == CASE_SKIPPED,
	   "a case with no sample says why");
}

TEST(never_pure)
{
	json_t *o;

	begin();
	visit(500, 1000);
	visit(700, 1000);
	evidence_conclude(&b);
	OK(parent.verdict.state == CASE_SKIPPED &&
		   fed.verdict.state == CASE_SKIPPED,
	   "a case that is never pure is skipped, and what it fed");
	OK_STR(parent.verdict.why,
	       "excluded: something else was in all of it: bytes_from_cache: "
	       "60 %, at least 99 % wanted",
	       "and says what was in it");
	OK_STR(fed.verdict.why, parent.verdict.why, "both say the same");
	o = rows_evidence(&parent);
	OK(number(o, "bytes_from_cache", "seen") == 1200,
	   "the evidence says it too");
	json_decref(o);
}

TEST(proof)
{
	const struct evidence *e;
	json_t *o;

	begin();
	visit(1000, 1000);
	OK(!visit(1000, 999) && parent.got.events.n == 1,
	   "a visit that is contradicted is not made up for");
	OK(!visit(1000, 2000) && parent.got.events.n == 1,
	   "nor one that has twice as much");
	OK(!visit(1000, 1000) && parent.got.events.n == 2,
	   "the next may be right");
	bench_least(&b, &fed.c, "switches", 10, 20);
	e = evidence_contradicted(&parent);
	OK(e && !strcmp(e->what, "bytes_right"), "it fails the case");
	OK(fed.got.events.n == 4 && !evidence_contradicted(&fed),
	   "not one that only got samples there and has more than the least");
	o = rows_evidence(&parent);
	OK(number(o, "bytes_right", "seen") == 2999 &&
		   number(o, "bytes_right", "expected") == 2000,
	   "and the evidence is of those visits");
	json_decref(o);
	evidence_conclude(&b);
	OK(parent.verdict.state == CASE_ASKED, "a lie is no reason to skip");
}

TEST(between_visits)
{
	begin();
	visit(1000, 1000);
	bench_proof(&b, &fed.c, "lines_in_cycle", 64, 63);
	OK(evidence_contradicted(&fed), "what is not settled counts already");
	bench_purity(&b, &parent.c, "alone", 0.5, 10, 4);
	evidence_settle(&b, NULL);
	OK(evidence_contradicted(&fed), "and when it is");
	OK(!parent.got.events.n && parent.verdict.set_aside == 1,
	   "after all visits a shortfall takes all that there is");
	bench_purity(&b, &fed.c, "never", 0.5, NAN, NAN);
	evidence_settle(&b, NULL);
	OK(fed.verdict.set_aside == 2, "what is not a number falls short");
	begin();
}
