/* SPDX-License-Identifier: MIT */
/* From the samples of a case to its value. */
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "stats.h"

bool headline_is_repeated(const struct case_run *run)
{
	return run->got.series.diff.n > 0;
}

enum bench_estimator headline_estimator(const struct case_run *run)
{
	if (run->c.estimator)
		return run->c.estimator;
	if (run->c.derived && !run->got.events.n)
		return BENCH_EST_DERIVED;
	return run->got.events.n || run->c.sample ? BENCH_EST_MEDIAN
						  : BENCH_EST_DIFFERENCE;
}

double headline_in_unit(const struct bench *b, const struct case_run *run,
			double ticks)
{
	const double ns = timer_ns(&b->timer, ticks);

	return run->c.bytes ? (double)run->c.bytes * 1e9 / ns : ns;
}

double headline_figure(const struct bench *b, const struct case_run *run,
		       const struct headline *h, double x)
{
	return h->ticks ? headline_in_unit(b, run, x) : x;
}

double headline_overhead(const struct bench *b, const struct case_run *run)
{
	return run->c.with_overhead ? 0 : b->timer.overhead_ticks;
}

/* The time of one operation in an event of @ticks. */
static double of_one(const struct bench *b, const struct case_run *run,
		     double ticks)
{
	return (ticks - headline_overhead(b, run)) / run->c.ops;
}

static void repeated(const struct bench *b, const struct case_run *run,
		     struct headline *h)
{
	struct sample_estimate est, base;
	const bool of_least =
		headline_estimator(run) == BENCH_EST_MIN_DIFFERENCE;

	sample_difference(&run->got.series, &b->timer, of_least, &est);
	h->ticks = true;
	h->constant = est.constant;
	h->value = est.value / run->c.ops;
	h->resolution = est.resolution / run->c.ops;
	if (run->got.base.diff.n) {
		sample_difference(&run->got.base, &b->timer, of_least, &base);
		h->baseline = base.value / run->c.ops;
		h->value -= h->baseline;
		h->resolution =
			hypot(h->resolution, base.resolution / run->c.ops);
	}
	h->error = h->resolution;
}

static double pick(enum bench_estimator estimator, const struct stats *st)
{
	switch (estimator) {
	case BENCH_EST_MIN:
		return st->min;
	case BENCH_EST_MEAN:
		return st->mean;
	case BENCH_EST_MAX:
		return st->max;
	default:
		return st->p50;
	}
}

double *headline_samples(const struct bench *b, const struct case_run *run,
			 double constant, size_t *n)
{
	const struct sample_series *s = &run->got.series;
	double *x;

	*n = headline_is_repeated(run) ? s->short_ticks.n + s->long_ticks.n
				       : run->got.events.n;
	x = *n ? text_alloc(*n, sizeof(*x)) : NULL;
	if (!x)
		return NULL;
	if (headline_is_repeated(run)) {
		sample_per_operation(s, constant, x);
		for (size_t i = 0; i < *n; i++)
			x[i] /= run->c.ops;
		return x;
	}
	memcpy(x, run->got.events.v, *n * sizeof(*x));
	for (size_t i = 0; !run->got.own_unit && i < *n; i++)
		x[i] = of_one(b, run, x[i]);
	return x;
}

/* From the raw ticks, in which the clock has its steps. */
static void events(const struct bench *b, const struct case_run *run,
		   struct headline *h)
{
	const struct timer *t = &b->timer;
	const enum bench_estimator by = headline_estimator(run);
	const size_t n = run->got.events.n;
	double *x = text_alloc(n, sizeof(*x));
	struct stats st;

	memcpy(x, run->got.events.v, n * sizeof(*x));
	stats_compute(&st, x, n);
	h->ticks = !run->got.own_unit;
	h->value = h->ticks && by == BENCH_EST_MEDIAN
			   ? sample_grouped_median(x, n, t->quantum_ticks)
			   : pick(by, &st);
	h->error = sample_median_error(&run->got.events) /
		   (h->ticks ? run->c.ops : 1);
	free(x);
	if (h->ticks)
		h->value = of_one(b, run, h->value);
	/* How much the events differ does not count: one that took 10 us surely
	 * took something, however long the others were. */
	if (h->ticks && !run->c.with_overhead)
		h->resolution =
			fmax(t->quantum_ticks, 2 * t->overhead_spread_ticks) /
			run->c.ops;
}

void headline_find(const struct bench *b, const struct case_run *run,
		   struct headline *h)
{
	*h = (struct headline) { .value = NAN,
				 .resolution = NAN,
				 .baseline = NAN };
	if (isfinite(run->def.derived)) {
		h->value = run->def.derived;
		h->resolution = h->error = run->def.derived_resolution;
	} else if (headline_is_repeated(run)) {
		repeated(b, run, h);
	} else if (run->got.events.n) {
		events(b, run, h);
	}
}

bool headline_is_below(const struct headline *h)
{
	return isfinite(h->resolution) &&
	       (h->value <= 0 || fabs(h->value) < h->resolution);
}

double bench_value(const struct bench *b, const struct bench_case *c)
{
	const struct case_run *run = bench_case_of(b, c);
	struct headline h;

	/* Do not derive from a case whose proof failed. */
	if (!run || run->verdict.state != CASE_ASKED ||
	    evidence_contradicted(run))
		return NAN;
	headline_find(b, run, &h);
	if (headline_is_below(&h))
		return NAN;
	return headline_figure(b, run, &h, h.value);
}

double headline_error(const struct bench *b, const struct bench_case *c)
{
	struct headline h;

	headline_find(b, bench_case_of(b, c), &h);
	return isfinite(h.error) ? h.error / h.value * bench_value(b, c) : 0;
}
