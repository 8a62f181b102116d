/* SPDX-License-Identifier: MIT */
/* Events of one operation, from made-up counts of batches and events. */
#include <jansson.h>

#include "counters_set.h"
#include "rows.h"
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
	op_counts_add(counts, &k, iters, iters > N ? OP_LONGER : OP_BRIEF);
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

TEST(test_batches)
{
	struct op_counts counts = { 0 }, base = { 0 };
	struct counters c = { 0 };
	const struct op_counter counter = { .c = &c };
	struct op_count x;
	json_t *o;

	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		snprintf(c.why[e], sizeof(c.why[e]), "not tried");
		c.opened[e] = e != COUNTERS_LLC_MISSES;
	}
	add_quads(&counts, 12);
	x = op_counts_get(&counts, COUNTERS_INSTRUCTIONS, N);
	OK_NEAR(x.value, 12, 0, "begin and end are taken out, exactly");
	OK_NEAR(x.resolution, 1.0 / N, 0, "one count in a batch is the least");
	x = op_counts_get(&counts, COUNTERS_PAGE_FAULTS, N);
	OK_NEAR(x.value, 18.0 / (36 * N), 1e-12, "all faults, all operations");

	o = op_counts_json(&counts, NULL, &counter, N, 4);
	OK_NEAR(number(o, "instructions"), 3, 0, "of an unrolled loop");
	OK_NEAR(number(o, "ipc"), 2, 1e-12, "instructions for each cycle");
	OK_NEAR(number(o, "context_switches"), 0, 0, "none is a number");
	OK_NEAR(number(o, "intervals"), 24, 0, "batches");
	OK(isnan(number(o, "branch_misses")), "no difference is no number");
	OK_STR(why(o, "branch_misses"), "< 0.00025: too small to measure",
	       "but a bound");
	OK(why(o, "llc_misses"), "and what is not counted has a reason");
	OK(!why(o, "instructions"), "which what is known has not");
	json_decref(o);

	add_quads(&base, 4);
	o = op_counts_json(&counts, &base, &counter, N, 1);
	OK_NEAR(number(o, "instructions"), 8, 1e-12, "less the baseline");
	OK_NEAR(number(o, "cycles"), 4, 1e-12, "cycles too");
	OK_NEAR(number(o, "page_faults"), 0, 0, "as many in the baseline");
	json_decref(o);
	o = op_counts_json(&base, &counts, &counter, N, 1);
	OK(isnan(number(o, "instructions")), "never a negative count");
	json_decref(o);
	op_counts_free(&counts);
	op_counts_free(&base);
}

TEST(test_events)
{
	struct op_counts counts = { 0 };
	struct counters_counts k = all_unknown();
	struct op_count x;

	for (int i = 0; i < 5; i++)
		add_batch(&counts, 1, 100, 1);
	x = op_counts_get(&counts, COUNTERS_INSTRUCTIONS, 0);
	OK(isnan(x.value), "no number without an empty pair");
	for (int i = 0; i < 5; i++) {
		know(&k, COUNTERS_INSTRUCTIONS, CONSTANT + 10 * (i - 2));
		op_counts_add(&counts, &k, 0, OP_EMPTY);
	}
	x = op_counts_get(&counts, COUNTERS_INSTRUCTIONS, 0);
	OK_NEAR(x.value, 100, 0, "less the empty pair");
	/* MAD 10: 3 x 1.2533 x 1.4826 x 10 / sqrt(5), wider by 1 + 4.5/4. */
	OK_NEAR(x.resolution, 24.930 * 2.125, 0.01,
		"which is known no better than it varies");
	x = op_counts_get(&counts, COUNTERS_PAGE_FAULTS, 0);
	OK_NEAR(x.value, 1, 0, "one fault each");
	op_counts_free(&counts);
}

static json_t *object(const char *text)
{
	return json_loads(text, 0, NULL);
}

/* Merge rows that have these. */
static json_t *merged(json_t **counters, size_t n)
{
	struct result row[5];
	const struct result *rows[5];

	for (size_t i = 0; i < n; i++) {
		result_init(&row[i]);
		row[i].counters = counters[i];
		rows[i] = &row[i];
	}
	return op_counts_merge(rows, n);
}

TEST(test_merge)
{
	json_t *in[3] = {
		object("{\"instructions\": 3.0, \"ipc\": null, \"scope\": "
		       "\"user\", \"intervals\": 10, \"unknown\": "
		       "{\"cycles\": \"a\", \"llc_misses\": \"b\"}, "
		       "\"cycles\": null, \"llc_misses\": null}"),
		object("{\"instructions\": 5.0, \"ipc\": 1.25, \"scope\": "
		       "\"user\", \"intervals\": 10, \"unknown\": {}, "
		       "\"cycles\": 4.0, \"llc_misses\": null}"),
		object("{\"instructions\": 4.0, \"cycles\": 1.0, "
		       "\"ipc\": 4.0, \"intervals\": 2}"),
	};
	json_t *o = merged(in, 3);

	OK_NEAR(number(o, "instructions"), 4, 0, "the median");
	OK_NEAR(number(o, "cycles"), 2.5, 0, "of those that know");
	OK_NEAR(number(o, "ipc"), 1.6, 1e-12, "the ratio of both medians");
	OK_NEAR(number(o, "intervals"), 22, 0, "intervals are added");
	OK_STR(json_string_value(json_object_get(o, "scope")), "user", "texts");
	OK(!why(o, "cycles"), "known after all");
	OK_STR(why(o, "llc_misses"), "b", "still unknown");
	OK(json_is_null(json_object_get(in[0], "cycles")),
	   "what was merged is left as it was");
	json_decref(o);
	o = merged(in, 2);
	OK(isnan(number(o, "cycles")), "one of two is not enough");
	OK_STR(why(o, "cycles"), "a", "the other has the reason");
	OK(json_is_null(json_object_get(o, "ipc")), "so there is no ratio");
	json_decref(o);
	OK(!merged(NULL, 0), "nothing of nothing");
	for (int i = 0; i < 3; i++)
		json_decref(in[i]);
}

/* An event of which some invocations could only give a bound. */
TEST(test_merge_bounds)
{
	static const char below[] =
		"{\"branch_misses\": null, \"unknown\": {\"branch_misses\": "
		"\"< 0.5: too small to measure\"}}";
	json_t *in[5] = {
		object(below),
		object("{\"branch_misses\": 3.0, \"unknown\": {}}"),
		object("{\"branch_misses\": 1.0, \"unknown\": {}}"),
		object("{\"branch_misses\": 2.0, \"unknown\": {}}"),
		object(below),
	};
	json_t *o = merged(in, 5);

	OK_NEAR(number(o, "branch_misses"), 1, 0,
		"those below resolution are the least of five");
	OK(!why(o, "branch_misses"), "most know: no bound");
	json_decref(o);
	o = merged(in, 2);
	OK(isnan(number(o, "branch_misses")), "half is no majority");
	OK_STR(why(o, "branch_misses"), "< 3: too small to measure",
	       "the bound is one that nobody refutes");
	json_decref(o);
	for (int i = 0; i < 5; i++)
		json_decref(in[i]);
}
