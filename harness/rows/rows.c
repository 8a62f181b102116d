/* SPDX-License-Identifier: MIT */
/* From what an invocation saw of a case to its row of results. */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "grade.h"
#include "program.h"
#include "stats.h"
#include "units.h"

#define FREQUENCY_DRIFT 0.02
#define ENOUGH_SPEEDS	4 /* readings, for a median and quartiles */
#define CYCLE_BIN	0.25

static const char *const estimator_names[] = {
	[BENCH_EST_DEFAULT] = NULL,
	[BENCH_EST_DIFFERENCE] = "difference",
	[BENCH_EST_MIN_DIFFERENCE] = "min_difference",
	[BENCH_EST_MEDIAN] = "median", /* of ticks: "grouped_median" */
	[BENCH_EST_MIN] = "min",
	[BENCH_EST_MEAN] = "mean",
	[BENCH_EST_MAX] = "max",
	[BENCH_EST_DERIVED] = "derived",
};

static const char *estimator_name(const struct case_run *run)
{
	const enum bench_estimator e = headline_estimator(run);

	return e == BENCH_EST_MEDIAN && !run->got.own_unit ? "grouped_median"
							   : estimator_names[e];
}

/* The clock's step for one operation, in the row's unit; NAN without one.
 * Recorded values have their own, but times are no finer than the counter. */
static double step_of(const struct bench *b, const struct case_run *run,
		      const struct headline *h, double value)
{
	const double n =
		headline_is_repeated(run) ? (double)run->got.series.iters : 1;
	const double ticks = b->timer.quantum_ticks;

	/* The same share of a time and of a rate. */
	if (h->ticks)
		return value * (ticks / n / run->c.ops) / h->value;
	if (!(run->c.step > 0) || isfinite(run->def.derived))
		return NAN;
	return !strcmp(run->c.unit, "ns")
		       ? fmax(run->c.step, timer_ns(&b->timer, ticks))
		       : run->c.step;
}

/* Status and reason; the headline's figures are set if it has one. */
static void judge(const struct bench *b, const struct case_run *run,
		  const struct headline *h, struct result *row)
{
	const struct evidence *e = evidence_contradicted(run);
	/* A failed proof fails the row even if derive() dropped its value. */
	const bool skipped = run->verdict.state == CASE_SKIPPED &&
			     !(run->verdict.dropped && e);
	char why[512], number[UNITS_MAX];
	double bound;

	if (isfinite(h->resolution) && !run->c.bytes)
		row->resolution = headline_figure(b, run, h, h->resolution);
	if (isfinite(h->baseline))
		row->baseline = headline_in_unit(b, run, h->baseline);
	row->status = skipped ? RESULT_SKIPPED : RESULT_FAILED;
	if (skipped || run->verdict.state == CASE_FAILED) {
		result_set(&row->reason, run->verdict.why);
		return;
	}
	/* A time of no more than 0 has no rate, least of all a negative one. */
	if (isfinite(h->value) && !(h->ticks && run->c.bytes && h->value <= 0))
		row->estimate = headline_figure(b, run, h, h->value);
	if (e) {
		snprintf(why, sizeof(why),
			 "the operation did not happen as claimed: %s: "
			 "expected %.0f, seen %.0f",
			 e->what, e->aside[0], e->aside[1]);
	} else if (headline_is_below(h)) {
		row->status = RESULT_BELOW_RESOLUTION;
		bound = fmax(h->resolution, fabs(h->value));
		units_format(number,
			     h->ticks ? timer_ns(&b->timer, bound) : bound,
			     h->ticks ? "ns" : run->c.unit);
		snprintf(why, sizeof(why), "< %s: too small to measure",
			 number);
	} else if (!isfinite(h->value)) {
		snprintf(why, sizeof(why), "no sample was taken");
	} else {
		row->status = RESULT_OK;
		row->value = row->estimate;
		row->quantum = step_of(b, run, h, row->value);
		return;
	}
	result_set(&row->reason, why);
}

/* Lower edge of the bin that @x falls into. */
static double bin_edge(enum bench_histogram kind, double x)
{
	if (kind == BENCH_HIST_CYCLES)
		return floor(x / CYCLE_BIN) * CYCLE_BIN;
	return pow(10, floor(log10(x) * RESULT_BINS) / RESULT_BINS);
}

/* @sorted: in the case's unit. */
static json_t *histogram(const struct case_run *run, const double *sorted,
			 size_t n, double core_hz)
{
	const bool events = !headline_is_repeated(run) && !run->got.own_unit;
	/* Single events always have one: their tail is in all invocations. */
	const enum bench_histogram kind = run->c.histogram ? run->c.histogram
					  : events	   ? BENCH_HIST_LOG
							   : BENCH_HIST_NONE;
	const bool cycles = kind == BENCH_HIST_CYCLES;
	const double f = cycles ? core_hz / 1e9 : 1;
	json_t *bins;

	if (kind == BENCH_HIST_NONE || !(f > 0))
		return NULL;
	bins = json_array();
	for (size_t i = 0, next; i < n; i = next) {
		const double edge = bin_edge(kind, sorted[i] * f);

		next = i + 1;
		/* A logarithmic bin cannot hold what is not positive. */
		if (!cycles && sorted[i] <= 0)
			continue;
		while (next < n && bin_edge(kind, sorted[next] * f) <= edge)
			next++;
		json_array_append_new(bins, json_pack("[fI]", edge,
						      (json_int_t)(next - i)));
	}
	return json_pack("{s:s,s:o}", "unit", cycles ? "cycles" : run->c.unit,
			 "bins", bins);
}

static void describe_samples(const struct bench *b, const struct case_run *run,
			     const struct headline *h, struct result *row)
{
	struct stats st;
	size_t n;
	double *x;

	x = headline_samples(b, run, h->constant, &n);
	if (!x)
		return;
	for (size_t i = 0; !run->got.own_unit && i < n; i++) {
		if (isfinite(h->baseline))
			x[i] -= h->baseline;
		x[i] = headline_in_unit(b, run, x[i]);
	}
	stats_compute(&st, x, n);
	row->samples = n;
	row->min = st.min;
	row->max = st.max;
	row->mean = st.mean;
	row->stddev = st.stddev;
	row->p50 = st.p50;
	row->p90 = st.p90;
	/* With fewer samples it would be the maximum. */
	row->p99 = n >= 100 ? st.p99 : NAN;
	row->p999 = n >= 1000 ? st.p999 : NAN;
	row->iters = headline_is_repeated(run)
			     ? run->got.series.iters * run->c.ops
			     : 1;
	if (!headline_is_repeated(run) && !run->got.own_unit)
		row->overhead = timer_ns(&b->timer, headline_overhead(b, run)) /
				run->c.ops;
	row->histogram = histogram(run, x, n, row->core_hz);
	if (isfinite(run->got.cold) && run->got.own_unit)
		row->cold = run->got.cold;
	else if (isfinite(run->got.cold))
		row->cold = headline_in_unit(b, run,
					     (run->got.cold -
					      headline_overhead(b, run)) /
						     run->c.ops);
	free(x);
}

/* The self-check that the value rests on, or why there is no value. */
static json_t *evidence_of(const struct case_run *run, const struct evidence *e)
{
	const bool aside =
		e->short_visits && (run->verdict.contradicted ||
				    run->verdict.state == CASE_SKIPPED);
	json_t *v = json_pack("{s:s,s:f,s:f}", "kind",
			      e->purity	 ? "purity"
			      : e->exact ? "proof"
					 : "least",
			      "expected", aside ? e->aside[0] : e->kept[0],
			      "seen", aside ? e->aside[1] : e->kept[1]);

	if (e->purity)
		json_object_set_new(v, "share", json_real(e->share));
	return v;
}

json_t *rows_evidence(const struct case_run *run)
{
	json_t *o = json_object();

	for (size_t i = 0; i < run->verdict.evidences; i++) {
		const struct evidence *e = &run->verdict.evidence[i];

		json_object_set_new(o, e->what, evidence_of(run, e));
	}
	json_object_update(o, run->def.facts);
#ifndef __OPTIMIZE__
	json_object_set_new(o, "build", json_string("not optimised"));
#endif
	return o;
}

json_t *rows_set_aside(const struct case_run *run)
{
	json_t *reasons;

	if (!run->verdict.set_aside)
		return json_null();
	reasons = json_object();
	for (size_t i = 0; i < run->verdict.evidences; i++) {
		const struct evidence *e = &run->verdict.evidence[i];

		if (e->short_visits)
			json_object_set_new(reasons, e->what,
					    json_integer(e->short_visits));
	}
	return json_pack("{s:i,s:o}", "visits", (int)run->verdict.set_aside,
			 "reasons", reasons);
}

/* A minimum comes from the fastest moment, and the highest of few readings is
 * the least disturbed: use that.  A case that had no visit of its own has the
 * frequency around those to the other cases. */
static double core_hz_of(const struct bench *b, const struct case_run *run)
{
	const enum bench_estimator e = headline_estimator(run);
	const bool least = e == BENCH_EST_MIN || e == BENCH_EST_MIN_DIFFERENCE;
	const bool few = run->got.core_hz.n < ENOUGH_SPEEDS;

	if (run->got.core_hz.n)
		return sample_quantile(&run->got.core_hz,
				       least || few ? 1 : 0.5);
	return b->now.core_hz.n ? sample_quantile(&b->now.core_hz, 0.5)
				: b->timer.core_hz;
}

/* @beside of the visits of @run: how many of @samples. */
static json_int_t share_of(const struct case_run *run, uint64_t beside,
			   uint64_t samples)
{
	return run->got.visits
		       ? (json_int_t)(samples * beside / run->got.visits)
		       : 0;
}

/* How many of @samples ran while the core was shared. */
static json_int_t shared(const struct bench *b, const struct case_run *run,
			 uint64_t samples)
{
	const double alone =
		RESULT_ALONE * sample_quantile(&b->now.core_share, 1);
	const size_t n = run->got.core_share.n;
	size_t less = 0;

	for (size_t i = 0; i < n; i++)
		less += run->got.core_share.v[i] < alone;
	return n ? (json_int_t)(samples * less / n) : 0;
}

/* By quartiles: an interrupt makes a reading too low and proves nothing. */
static bool drifted(const struct bench *b, const struct case_run *run)
{
	const struct sample_vec *of = run->got.core_hz.n < ENOUGH_SPEEDS
					      ? &b->now.core_hz
					      : &run->got.core_hz;

	return of->n >= ENOUGH_SPEEDS &&
	       sample_quantile(of, 0.75) / sample_quantile(of, 0.25) - 1 >
		       FREQUENCY_DRIFT;
}

/* By the kernel's numbers; libc's headers do not have all. */
static const char *policy_name(unsigned int policy)
{
	static const char *const names[] = { "other",	"fifo", "rr",
					     "batch",	NULL,	"idle",
					     "deadline" };
	const unsigned int i = policy & ~(unsigned int)SCHED_RESET_ON_FORK;
	const char *name = i < sizeof(names) / sizeof(*names) ? names[i] : NULL;

	return name ? name : "unknown";
}

static void circumstances(const struct bench *b, const struct case_run *run,
			  struct result *row)
{
	/* A case that had no visit of its own has what was around the others'.
	 */
	const struct sample_vec *share = run->got.core_share.n
						 ? &run->got.core_share
						 : &b->now.core_share;
	struct sched_param param = { 0 };

	sched_getparam(0, &param);
	result_set(&row->policy,
		   policy_name((unsigned int)sched_getscheduler(0)));
	if (b->timer.hz > 0)
		result_set(&row->timer, timer_name(b->timer.method));
	result_set(&row->started_at, b->started_at);
	row->core_share = sample_quantile(share, 0.5);
	row->priority = param.sched_priority;
	row->cpu = b->unpinned ? -1 : b->cpu;
	row->duration_s = b->duration_s;
	row->round = (int64_t)b->plan.round;
	row->seed = b->plan.seed;
	row->n = 1;
	row->evidence = rows_evidence(run);
	row->set_aside = rows_set_aside(run);
	row->tags = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "involuntary",
			      (json_int_t)run->got.involuntary, "migrated",
			      (json_int_t)run->got.migrated, "waited",
			      (json_int_t)run->got.waited, "frequency",
			      (json_int_t)(drifted(b, run) ? row->samples : 0),
			      "shared", shared(b, run, row->samples), "stolen",
			      share_of(run, run->got.stolen, row->samples),
			      "throttled",
			      share_of(run, run->got.throttled, row->samples));
	if (b->counters && run->got.begun)
		row->counters = op_counts_json(run, b->counters);
}

/* On a slower kind of CPU it is another row. */
static void name_row(const struct bench *b, const struct case_run *run,
		     struct result *row)
{
	char name[320];

	result_set(&row->kind, b->kind);
	snprintf(name, sizeof(name), "kind=%s,%s", b->kind, run->c.name);
	result_set(&row->name, b->slower ? name : run->c.name);
	row->params = json_object();
	for (const struct bench_param *p = run->c.params; p->axis; p++)
		json_object_set_new(row->params, p->axis,
				    p->kind == BENCH_STR
					    ? json_string(p->text)
					    : json_integer(p->number));
	if (b->slower)
		json_object_set_new(row->params, "kind", json_string(b->kind));
}

void rows_make(const struct bench *b, const struct case_run *run,
	       struct result *row)
{
	const double core_hz = core_hz_of(b, run);
	struct headline h;

	result_init(row);
	result_set(&row->benchmark, b->plan.name);
	name_row(b, run, row);
	result_set(&row->unit, run->c.unit);
	result_set(&row->better,
		   run->c.better == BENCH_HIGHER ? "higher" : "lower");
	result_set(&row->tier, run->choice.core ? "core" : "detail");
	result_set(&row->estimator, estimator_name(run));
	row->expected = run->def.expected;
	row->at_least = run->def.derived_low;
	row->at_most = run->def.derived_high;
	if (b->timer.tsc_hz > 0)
		row->tsc_hz = b->timer.tsc_hz;
	if (core_hz > 0)
		row->core_hz = core_hz;
	headline_find(b, run, &h);
	judge(b, run, &h, row);
	describe_samples(b, run, &h, row);
	/* A value that is not known is NAN, and so is all that is made of it.
	 */
	if (!strcmp(row->unit, "ns")) {
		row->ticks = row->value * row->tsc_hz / 1e9;
		row->cycles = row->value * row->core_hz / 1e9;
	}
	circumstances(b, run, row);
	grade_set(row, NAN);
}
