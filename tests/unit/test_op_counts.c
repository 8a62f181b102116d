/* SPDX-License-Identifier: MIT */
/* Events of one operation, from made-up counts of batches and events. */
#include <jansson.h>
#include <string.h>

#include "counters_set.h"
#include "program.h"
#include "quoted.h"
#include "result.h"
#include "tests.h"

#define N	 UINT64_C(1000) /* operations in the shorter batch */
#define CONSTANT 470		/* what begin and end count */

static struct counters_counts all_unknown(void)
{
	struct counters_counts k = { 0 };

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		k.count[e].value = k.count[e].share = NAN;
	return k;
}

static void know(struct counters_counts *k, enum counters_event event,
		 double value)
{
	k->count[event].known = true;
	k->count[event].value = value;
	k->count[event].share = 1;
}

/* A batch of @iters operations of @each instructions and half the cycles. */
static void add_batch(struct op_counts *counts, uint64_t iters, double each,
		      double faults)
{
	struct counters_counts k = all_unknown();

	know(&k, COUNTERS_INSTRUCTIONS, CONSTANT + each * (double)iters);
	know(&k, COUNTERS_CYCLES, CONSTANT + each / 2 * (double)iters);
	know(&k, COUNTERS_BRANCH_MISSES, 7);
	know(&k, COUNTERS_PAGE_FAULTS, faults);
	know(&k, COUNTERS_CONTEXT_SWITCHES, 0);
	op_counts_add(counts, &k, iters > N ? OP_LONGER : OP_BRIEF);
}

static void add_quads(struct op_counts *counts, double each)
{
	for (int i = 0; i < 6; i++) {
		add_batch(counts, N, each, 0);
		add_batch(counts, 2 * N, each, 3);
		add_batch(counts, 2 * N, each, 0);
		add_batch(counts, N, each, 0);
	}
}

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *why(const json_t *o, const char *event)
{
	return json_string_value(
		json_object_get(json_object_get(o, "unknown"), event));
}

/* The key of its row; @ops operations are one iteration. */
static json_t *said(struct case_run *run, unsigned int ops)
{
	static struct counters c;

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		snprintf(c.why[e], sizeof(c.why[e]), "not tried");
		c.opened[e] = e != COUNTERS_LLC_MISSES;
	}
	run->c.ops = ops;
	return op_counts_json(run, &c);
}

TEST(test_batches)
{
	struct case_run run = { .got.series = { .iters = N, .diff.n = 1 } };
	struct op_counts *counts = &run.got.counts,
			 *base = &run.got.base_counts, other;
	json_t *o;

	add_quads(counts, 12);
	other = *counts;
	add_quads(counts, 99);
	op_counts_cut(counts, &other); /* those are given back */
	o = said(&run, 4);
	OK_NEAR(number(o, "instructions"), 3, 0,
		"begin and end are taken out, exactly, of an unrolled loop");
	OK_NEAR(number(o, "page_faults"), 18.0 / (36 * N) / 4, 1e-12,
		"all faults, all operations");
	OK_NEAR(number(o, "ipc"), 2, 1e-12, "instructions for each cycle");
	OK_NEAR(number(o, "context_switches"), 0, 0, "none is a number");
	OK(isnan(number(o, "branch_misses")), "no difference is no number");
	OK_STR(why(o, "branch_misses"), OP_COUNTS_SMALL, "but has a reason");
	OK(why(o, "llc_misses"), "as has what is not counted");
	OK(!why(o, "instructions"), "which what is known has not");
	json_decref(o);

	add_quads(base, 4);
	o = said(&run, 1);
	OK_NEAR(number(o, "instructions"), 8, 1e-12, "less the baseline");
	OK_NEAR(number(o, "cycles"), 4, 1e-12, "cycles too");
	OK_NEAR(number(o, "page_faults"), 0, 0, "as many in the baseline");
	json_decref(o);
	other = *base;
	*base = *counts;
	*counts = other;
	o = said(&run, 1);
	OK(isnan(number(o, "instructions")), "never a negative count");
	json_decref(o);
	op_counts_free(counts);
	op_counts_free(base);
}

TEST(test_events)
{
	struct case_run run = { 0 };
	struct op_counts *counts = &run.got.counts;
	struct counters_counts k = all_unknown();
	json_t *o;

	for (int i = 0; i < 5; i++)
		add_batch(counts, 1, 100, 1);
	o = said(&run, 1);
	OK(isnan(number(o, "instructions")), "no number without an empty pair");
	OK_NEAR(number(o, "page_faults"), 1, 0, "one fault each");
	json_decref(o);
	/* MAD 10: 3 x 1.2533 x 1.4826 x 10 / sqrt(5), wider by 1 + 4.5/4: 53
	 * is the least that can be measured. */
	for (int i = 0; i < 5; i++) {
		know(&k, COUNTERS_INSTRUCTIONS, CONSTANT + 10 * (i - 2));
		know(&k, COUNTERS_CYCLES, CONSTANT + 10 * (i - 2));
		op_counts_add(counts, &k, OP_EMPTY);
	}
	know(&k, COUNTERS_INSTRUCTIONS, 9999);
	k.count[COUNTERS_INSTRUCTIONS].scaled = true;
	for (int i = 0; i < 9; i++)
		op_counts_add(counts, &k, OP_BRIEF);
	o = said(&run, 1);
	OK_NEAR(number(o, "instructions"), 100, 0,
		"less the empty pair, and of what was counted in full");
	OK(isnan(number(o, "cycles")),
	   "50 are no number where a pair is known no better than it varies");
	json_decref(o);
	op_counts_free(counts);
}

/* The counts of an aggregate of rows with the values 1, 2 ... @n and these. */
static json_t *merged(json_t **counters, size_t n)
{
	struct result row[5], all;
	const struct result *rows[5];
	json_t *counted;

	for (size_t i = 0; i < n; i++) {
		result_init(&row[i]);
		row[i].value = (double)i + 1;
		row[i].counters = counters[i];
		rows[i] = &row[i];
	}
	result_aggregate(&all, rows, n);
	counted = json_incref(all.counters);
	result_free(&all);
	return counted;
}

TEST(test_merge)
{
	json_t *in[3] = {
		quoted("{'cycles': null, 'unknown': {'cycles': 'a'}}"),
		quoted("{'cycles': 4.0, 'unknown': {}}"),
		quoted("{'cycles': 1.0, 'unknown': {}}"),
	};
	json_t *o = merged(in, 3), *none[2] = { NULL, in[0] };

	OK_NEAR(number(o, "cycles"), 4, 0, "those of the median");
	json_decref(o);
	o = merged(in, 1);
	OK_STR(why(o, "cycles"), "a", "the reason of an unknown one, too");
	json_decref(o);
	o = merged(none, 2);
	OK(o == in[0], "one that has some, if not all have");
	json_decref(o);
	for (int i = 0; i < 3; i++)
		json_decref(in[i]);
}
