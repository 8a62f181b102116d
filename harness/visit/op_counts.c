/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define PAIRS 64

static int time_pairs(struct op_counter *counter)
{
	struct sample_vec ns = { 0 };
	int err = 0;

	for (int i = 0; i < PAIRS && !err; i++) {
		struct counters_counts k;

		err = counters_start(counter->c);
		if (!err)
			err = counters_stop(counter->c, &k);
		if (!err)
			sample_push(&ns, (double)(k.end_ns - k.begin_ns));
	}
	counter->pair_ns = sample_median(&ns);
	sample_free(&ns);
	return err;
}

int op_counter_open(struct op_counter *counter)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	int err = counters_open(&counter->c, &self, 0);

	if (!err)
		err = time_pairs(counter);
	if (err)
		op_counter_close(counter);
	return err;
}

void op_counter_close(struct op_counter *counter)
{
	counters_close(counter->c);
	counter->c = NULL;
}

/* Told one by one by the kernel, and rare. */
static bool is_exact(enum counters_event event)
{
	return event == COUNTERS_PAGE_FAULTS ||
	       event == COUNTERS_CONTEXT_SWITCHES ||
	       event == COUNTERS_MIGRATIONS;
}

void op_counts_add(struct op_counts *counts, const struct counters_counts *k,
		   uint64_t iters, enum op_interval interval)
{
	const bool empty = interval == OP_EMPTY;

	if (!empty && !counts->intervals++)
		counts->least_share = 1;
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const struct counters_count *one = &k->count[e];

		if (!empty && isfinite(one->share))
			counts->least_share =
				fmin(counts->least_share, one->share);
		if (!one->known)
			continue;
		if (!empty) {
			counts->total[e] += one->value;
			counts->ops[e] += (double)iters;
		}
		if (!is_exact((enum counters_event)e))
			sample_push(&counts->of[interval][e], one->value);
	}
}

void op_counts_restore(struct op_counts *counts, const struct op_counts *before)
{
	const struct op_counts now = *counts;

	*counts = *before;
	for (int i = 0; i < OP_INTERVALS; i++)
		for (int e = 0; e < COUNTERS_EVENTS; e++)
			counts->of[i][e].v = now.of[i][e].v;
}

int op_counter_begin(const struct op_counter *counter)
{
	return counter ? counters_start(counter->c) : 0;
}

int op_counter_end(const struct op_counter *counter, struct op_counts *counts,
		   uint64_t iters, enum op_interval interval)
{
	struct counters_counts k;
	int err = counter ? counters_stop(counter->c, &k) : 0;

	if (!err && counter && counts)
		op_counts_add(counts, &k, iters, interval);
	return err;
}

int op_counter_empty(const struct op_counter *counter, struct op_counts *counts)
{
	const int err = op_counter_begin(counter);

	return err ? err : op_counter_end(counter, counts, 0, OP_EMPTY);
}

void op_counts_free(struct op_counts *counts)
{
	for (int i = 0; i < OP_INTERVALS; i++)
		for (int e = 0; e < COUNTERS_EVENTS; e++)
			sample_free(&counts->of[i][e]);
	memset(counts, 0, sizeof(*counts));
}

static struct op_count difference(const struct sample_vec *more,
				  const struct sample_vec *less, double n)
{
	double error =
		hypot(sample_median_error(more), sample_median_error(less));

	return (struct op_count) { (sample_median(more) - sample_median(less)) /
					   n,
				   fmax(error, 1) / n };
}

struct op_count op_counts_get(const struct op_counts *counts,
			      enum counters_event event, uint64_t iters)
{
	const struct sample_vec *brief = &counts->of[OP_BRIEF][event];

	if (is_exact(event))
		return (struct op_count) {
			counts->total[event] / counts->ops[event], NAN
		};
	if (!iters)
		return difference(brief, &counts->of[OP_EMPTY][event], 1);
	return difference(&counts->of[OP_LONGER][event], brief, (double)iters);
}
