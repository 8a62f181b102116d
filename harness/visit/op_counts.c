/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <math.h>

void op_counts_add(struct op_counts *counts, const struct counters_counts *k,
		   enum op_interval interval)
{
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (k->count[e].known && !k->count[e].scaled)
			sample_push(&counts->of[interval][e],
				    k->count[e].value);
}

int op_counts_begin(struct counters *c)
{
	return c ? counters_start(c) : 0;
}

int op_counts_end(struct counters *c, struct op_counts *counts,
		  enum op_interval interval)
{
	struct counters_counts k;
	const int err = c ? counters_stop(c, &k) : 0;

	if (!err && c && counts)
		op_counts_add(counts, &k, interval);
	return err;
}

void op_counts_cut(struct op_counts *counts, const struct op_counts *to)
{
	for (int i = 0; i < OP_INTERVALS; i++)
		for (int e = 0; e < COUNTERS_EVENTS; e++)
			counts->of[i][e].n = to->of[i][e].n;
}

void op_counts_free(struct op_counts *counts)
{
	for (int i = 0; i < OP_INTERVALS; i++)
		for (int e = 0; e < COUNTERS_EVENTS; e++)
			sample_free(&counts->of[i][e]);
}

static double sum(const struct sample_vec *vec)
{
	double all = 0;

	for (size_t i = 0; i < vec->n; i++)
		all += vec->v[i];
	return all;
}

/* Events of one iteration. */
struct op_count {
	double value;	   /* NAN: not known */
	double resolution; /* least that can be measured; NAN: exact */
};

static struct op_count count_of(const struct op_counts *counts,
				enum counters_event event, uint64_t iters)
{
	const struct sample_vec *less = &counts->of[OP_BRIEF][event],
				*more = &counts->of[OP_LONGER][event];
	const double n = iters ? (double)iters : 1;
	const bool rare = event == COUNTERS_PAGE_FAULTS ||
			  event == COUNTERS_CONTEXT_SWITCHES ||
			  event == COUNTERS_MIGRATIONS;

	if (rare)
		return (struct op_count) { (sum(less) + sum(more)) / n /
						   ((double)less->n +
						    2 * (double)more->n),
					   NAN };
	if (!iters) {
		more = less;
		less = &counts->of[OP_EMPTY][event];
	}
	return (struct op_count) { (sample_median(more) - sample_median(less)) /
					   n,
				   fmax(1, hypot(sample_median_error(more),
						 sample_median_error(less))) /
					   n };
}

json_t *op_counts_json(const struct case_run *run, const struct counters *c)
{
	const struct op_counts *base = &run->got.base_counts;
	const uint64_t iters =
		headline_is_repeated(run) ? run->got.series.iters : 0;
	double known[COUNTERS_EVENTS];
	json_t *unknown = json_object(), *o = json_object();

	for (enum counters_event e = 0; e < COUNTERS_EVENTS; e++) {
		struct op_count x = count_of(&run->got.counts, e, iters), less;
		const char *why = counters_why(c, e);

		if (base->of[OP_BRIEF][e].n) {
			less = count_of(base, e, iters);
			x.value -= less.value;
			x.resolution = hypot(x.resolution, less.resolution);
		}
		if (!why)
			why = isfinite(x.value)
				      ? OP_COUNTS_SMALL
				      : "it never had a counter for itself "
					"that counted: others use them";
		/* Rare events may all have fallen into the baseline. */
		if (x.value < 0 || x.value < x.resolution)
			x.value = NAN;
		known[e] = x.value / run->c.ops;
		/* json_real() gives NULL for NAN, and "o?" null. */
		json_object_set_new(o, counters_name(e),
				    json_pack("o?", json_real(known[e])));
		if (!isfinite(known[e]))
			json_object_set_new(unknown, counters_name(e),
					    json_string(why));
	}
	json_object_update_new(
		o, json_pack("{s:o?,s:s,s:o}", "ipc",
			     json_real(known[COUNTERS_INSTRUCTIONS] /
				       known[COUNTERS_CYCLES]),
			     "scope",
			     counters_user_only(c) ? "user" : "user and kernel",
			     "unknown", unknown));
	return o;
}
