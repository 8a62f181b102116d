/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <math.h>
#include <string.h>

#include "alloc.h"

void evidence_touch(struct bench *b, struct case_run *run)
{
	if (run->verdict.visit == b->verdict.visits)
		return;
	run->verdict.visit = b->verdict.visits;
	run->verdict.before = run->got;
}

void evidence_begin(struct bench *b, struct case_run *run)
{
	b->verdict.visits++;
	evidence_touch(b, run);
}

/* The evidence of @run of the name of @of, which it gets if it has none. */
static struct evidence *get(struct bench *b, struct case_run *run,
			    const struct evidence *of)
{
	struct case_verdict *v = &run->verdict;

	evidence_touch(b, run);
	for (size_t i = 0; i < v->evidences; i++)
		if (!strcmp(v->evidence[i].what, of->what))
			return &v->evidence[i];
	v->evidence = text_grow(v->evidence, v->evidences, sizeof(*of));
	v->evidence[v->evidences] = (struct evidence) { .what = of->what,
							.purity = of->purity,
							.exact = of->exact,
							.share = of->share };
	return &v->evidence[v->evidences++];
}

void evidence_add(struct bench *b, const struct bench_case *c,
		  const struct evidence *of)
{
	struct case_run *run = bench_case_of(b, c);
	/* It is said of samples, and warming up takes none. */
	const bool none = !run || (of->purity && b->now.warming_up);
	struct evidence *e = none ? NULL : get(b, run, of);

	for (int i = 0; e && i < 2; i++)
		e->now[i] += of->now[i];
}

void bench_proof(struct bench *b, const struct bench_case *c, const char *what,
		 double expected, double seen)
{
	evidence_add(b, c,
		     &(struct evidence) { what, false, true, 1,
					  .now = { expected, seen } });
}

void bench_least(struct bench *b, const struct bench_case *c, const char *what,
		 double least, double seen)
{
	evidence_add(b, c,
		     &(struct evidence) { what, false, false, 1,
					  .now = { least, seen } });
}

void bench_purity(struct bench *b, const struct bench_case *c, const char *what,
		  double share, double all, double pure)
{
	evidence_add(b, c,
		     &(struct evidence) { what, true, false, share,
					  .now = { all, pure } });
}

/* Written so that what is not a number falls short, too. */
static bool falls_short(const struct evidence *e)
{
	return !(e->now[1] >= e->share * e->now[0]) ||
	       (e->exact && e->now[1] > e->now[0]);
}

/* The verdict on one case, whose evidence of this visit is added up.  Return:
 * whether its share of the visit is excluded. */
static bool judge(struct case_run *run)
{
	struct case_verdict *v = &run->verdict;
	bool aside = false;

	for (size_t i = 0; i < v->evidences; i++)
		if (falls_short(&v->evidence[i])) {
			aside = true;
			v->evidence[i].short_visits++;
			v->contradicted |= !v->evidence[i].purity;
		}
	v->set_aside += aside;
	for (size_t i = 0; i < 2 * v->evidences; i++) {
		struct evidence *e = &v->evidence[i / 2];

		*(aside ? &e->aside[i % 2] : &e->kept[i % 2]) += e->now[i % 2];
		e->now[i % 2] = 0;
	}
	return aside;
}

/* If a visit lacks purity, its reason goes to all cases that got samples in it;
 * it replaces their own evidence of that name. */
static void spread(struct bench *b, const struct case_run *current)
{
	if (evidence_contradicted(current))
		return;
	for (size_t k = 0; k < current->verdict.evidences; k++) {
		const struct evidence of = current->verdict.evidence[k];
		struct evidence *e;

		if (!falls_short(&of))
			continue;
		EACH_RUN (b, run) {
			if (run == current ||
			    run->verdict.visit != b->verdict.visits)
				continue;
			e = get(b, run,
				&(struct evidence) { of.what, .purity = true });
			e->share = of.share;
			e->now[0] = of.now[0];
			e->now[1] = of.now[1];
		}
	}
}

bool evidence_settle(struct bench *b, struct case_run *current)
{
	/* All, if it was no visit. */
	static const struct case_samples none = { .cold = NAN };
	bool again = false;

	if (current)
		spread(b, current);
	EACH_RUN (b, run) {
		if (run->verdict.visit != b->verdict.visits || !judge(run))
			continue;
		again |= !run->verdict.contradicted;
		case_give_back(run, current ? &run->verdict.before : &none);
	}
	b->verdict.visits++; /* what is said from here on is no part of it */
	return again;
}

static const struct evidence *worst_purity(const struct case_run *run)
{
	const struct evidence *worst = NULL;

	for (size_t i = 0; i < run->verdict.evidences; i++) {
		const struct evidence *e = &run->verdict.evidence[i];

		if (e->short_visits &&
		    (!worst || e->short_visits > worst->short_visits))
			worst = e;
	}
	return worst;
}

void evidence_conclude(struct bench *b)
{
	EACH_RUN (b, run) {
		const struct evidence *e = worst_purity(run);

		if (!run->verdict.set_aside || run->verdict.contradicted ||
		    !e || run->verdict.state != CASE_ASKED ||
		    run->got.events.n || run->got.series.diff.n ||
		    isfinite(run->def.derived))
			continue;
		/* A proof in the end counts all the same. */
		verdict_skip(run,
			     "excluded: something else was in all of it: %s: "
			     "%.4g %%, at least %.4g %% wanted",
			     e->what,
			     e->aside[0] > 0 ? 100 * e->aside[1] / e->aside[0]
					     : 0,
			     100 * e->share);
	}
}

const struct evidence *evidence_contradicted(const struct case_run *run)
{
	for (size_t i = 0; i < run->verdict.evidences; i++) {
		const struct evidence *e = &run->verdict.evidence[i];

		if (!e->purity && (e->short_visits || falls_short(e)))
			return e;
	}
	return NULL;
}
