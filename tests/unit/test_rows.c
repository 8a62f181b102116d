/* SPDX-License-Identifier: MIT */
/* The core's frequency and its share of a row, from made-up readings around its
 * visits. */
#include <jansson.h>

#include "program.h"
#include "random.h"
#include "result.h"
#include "rows.h"
#include "tap.h"

#define GHZ 1e9

static const struct bench_desc desc = { .name = "made_up" };

static struct case_run one_case(enum bench_estimator estimator)
{
	struct case_run run = { .def.name = (char *)"x=1",
				.c.estimator = estimator,
				.got.cold = NAN,
				.def.derived = NAN,
				.def.expected = NAN,
				.def.derived_resolution = NAN,
				.def.derived_low = NAN,
				.def.derived_high = NAN };

	for (int i = 0; i < 10; i++)
		sample_push(&run.got.events, 1000 + i);
	return run;
}

/* The row's frequency; @tags gets how many samples it moved under. */
static double core_hz(struct case_run *run, const double *ghz, size_t n,
		      json_int_t *tags)
{
	/* Around the visits to other cases. */
	double others[] = { 1 * GHZ, 1.5 * GHZ, 1 * GHZ, 1.5 * GHZ };
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 2 * GHZ, .tsc_hz = 2 * GHZ },
				 .now.core_hz = { .v = others, .n = 4 } };
	struct result row;
	double hz;

	for (size_t i = 0; i < n; i++)
		sample_push(&run->got.core_hz, ghz[i] * GHZ);
	rows_make(&b, run, &row);
	hz = row.core_hz;
	*tags = json_integer_value(json_object_get(row.tags, "frequency"));
	result_free(&row);
	sample_free(&run->got.core_hz);
	sample_free(&run->got.events);
	return hz / GHZ;
}

static double of(enum bench_estimator estimator, const double *ghz, size_t n,
		 json_int_t *tags)
{
	struct case_run run = one_case(estimator);

	return core_hz(&run, ghz, n, tags);
}

/* Readings of the share around the visits to this case; the best is another's.
 * Return: the row's; @tags: how many of ten samples were beside others. */
static double core_share(const double *share, size_t n, json_int_t *tags)
{
	double all[] = { 4.0, 3.0, 3.96 };
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 1e9, .tsc_hz = 1e9 },
				 .now.core_share = { .v = all, .n = 3 } };
	struct case_run run = one_case(BENCH_EST_MEDIAN);
	struct result row;
	double got;

	for (size_t i = 0; i < n; i++)
		sample_push(&run.got.core_share, share[i]);
	rows_make(&b, &run, &row);
	got = row.core_share;
	*tags = json_integer_value(json_object_get(row.tags, "shared"));
	result_free(&row);
	sample_free(&run.got.core_share);
	sample_free(&run.got.events);
	return got;
}

/* Whether a row has a histogram of cycles, as one whose core's frequency is not
 * known cannot. */
static bool has_cycles(double ghz)
{
	double hz[] = { ghz * GHZ };
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 1e9 },
				 .now.core_hz = { .v = hz, .n = 1 } };
	struct case_run run = one_case(BENCH_EST_MEDIAN);
	struct result row;
	bool has;

	run.c.histogram = BENCH_HIST_CYCLES;
	rows_make(&b, &run, &row);
	has = row.histogram;
	result_free(&row);
	sample_free(&run.got.events);
	return has;
}

/* The step of a row of values recorded in @unit, read in steps of @step beside
 * a counter with steps of 10 ns. */
static double step_of_values(const char *unit, double step)
{
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 2e9, .quantum_ticks = 20 } };
	struct case_run run = one_case(BENCH_EST_MEDIAN);
	struct result row;
	double got;

	run.got.own_unit = true;
	run.c.unit = unit;
	run.c.step = step;
	rows_make(&b, &run, &row);
	got = row.quantum;
	result_free(&row);
	sample_free(&run.got.events);
	return got;
}

static double median_distance(struct case_run *of, const double *ns, size_t n,
			      struct case_run *run)
{
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 1e9, .tsc_hz = 1e9 },
				 .runs = (struct case_run *[]) { of, run },
				 .n_runs = 2 };
	struct result row;
	double got;

	for (size_t i = 0; i < n; i++)
		sample_push(&of->got.distance, ns[i]);
	rows_make(&b, run, &row);
	got = row.distance_ns;
	result_free(&row);
	sample_free(&of->got.distance);
	return got;
}

/* The two ends of each visit. */
static void distances(void)
{
	const double ns[] = { 95, 420, 97, 96, 410, 94 };
	struct case_run of = one_case(BENCH_EST_MEDIAN);
	struct case_run fed = one_case(BENCH_EST_MEDIAN);

	fed.c.id = 1;
	OK(isnan(median_distance(&of, NULL, 0, &of)), "on one CPU no distance");
	OK_NEAR(median_distance(&of, ns, 6, &of), 96.5, 1e-9,
		"the median distance");
	OK(isnan(median_distance(&of, ns, 6, &fed)), "it is no other case's");
	fed.c.of = &of.c;
	OK_NEAR(median_distance(&of, ns, 6, &fed), 96.5, 1e-9,
		"but of those that it gives samples");
	sample_free(&of.got.events);
	sample_free(&fed.got.events);
}

static void shares(void)
{
	const double half[] = { 3.95, 2.5, 3.97, 3.0, 3.96, 2.2 };
	const double alone[] = { 3.95, 3.9, 3.97 };
	json_int_t tags = -1;

	OK_NEAR(core_share(NULL, 0, &tags), 3.96, 1e-9,
		"without visits the share beside the others");
	OK(tags == 0, "and nothing is said of its samples");
	OK_NEAR(core_share(alone, 3, &tags), 3.95, 1e-9, "the median share");
	OK(tags == 0, "a core by itself");
	OK(core_share(half, 6, &tags) < 3.96 && tags == 5,
	   "beside others half of the time");
	OK_NEAR(step_of_values("ns", 1), 10, 1e-9,
		"whole ns of a coarser clock");
	OK_NEAR(step_of_values("ns", 1000), 1000, 1e-9, "whole microseconds");
	OK_NEAR(step_of_values("pages", 1), 1, 1e-9, "whole pages");
	OK(isnan(step_of_values("ns", 0)), "a value without steps");
}

/* A number below 1, the same ones in each run of the test. */
static double dice(void)
{
	static uint64_t x = 1;

	return (double)(random_next(&x) >> 11) / 9007199254740992.0;
}

/* The row of one invocation: @n events of @time ticks each and, in some of
 * them, an interrupt, on a clock of @step ticks; the timer takes @overhead of
 * them. */
static void timed(struct result *row, double step, double time, double overhead,
		  size_t n)
{
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 1e9,
					    .quantum_ticks = step,
					    .overhead_ticks = overhead } };
	struct case_run run = { .def.name = (char *)"x=1",
				.got.cold = NAN,
				.def.derived = NAN,
				.def.expected = NAN,
				.def.derived_resolution = NAN,
				.def.derived_low = NAN,
				.def.derived_high = NAN };

	for (size_t i = 0; i < n; i++) {
		const double begin = 1000 * step * dice();
		const double end =
			begin + time + overhead + (dice() < 0.02 ? 5000 : 0);

		sample_push(&run.got.events,
			    floor(floor(end / step) * step) -
				    floor(floor(begin / step) * step));
	}
	rows_make(&b, &run, row);
	sample_free(&run.got.events);
}

/* Share of runs of @n invocations whose interval holds the true time; *@least
 * gets the narrowest interval, in steps. */
static double covered(double step, size_t n, double *least)
{
	struct result rows[10], out;
	const struct result *ptrs[10];
	size_t good = 0, all = 0;

	*least = INFINITY;
	for (int part = 21; part < 80; part++) {
		const double time = part * step / 20;

		for (size_t i = 0; i < n; i++) {
			timed(&rows[i], step, time, 30, 200);
			ptrs[i] = &rows[i];
		}
		result_aggregate(&out, ptrs, n);
		good += out.ci95[0] <= time && time <= out.ci95[1];
		all++;
		*least = fmin(*least, (out.ci95[1] - out.ci95[0]) / step);
		result_free(&out);
		for (size_t i = 0; i < n; i++)
			result_free(&rows[i]);
	}
	return (double)good / (double)all;
}

static void coarse_clocks(void)
{
	static const double steps[] = { 22.5, 41.67 };
	struct result row;
	double least;

	for (size_t i = 0; i < 2; i++) {
		OK(covered(steps[i], 6, &least) >= 0.95,
		   "six invocations: the interval holds the true time");
		OK(least >= 1 - 1e-9,
		   "and is never narrower than half a step to both sides");
		OK(covered(steps[i], 10, &least) >= 0.95 && least >= 1 - 1e-9,
		   "nor of ten invocations");
	}
	timed(&row, 22.5, 90, 0, 100);
	OK_STR(row.estimator, "grouped_median", "the row says how");
	OK(row.quantum == 22.5, "and what the step of the clock is");
	result_free(&row);
}

int main(void)
{
	const enum bench_estimator median = BENCH_EST_MEDIAN;
	const double halved[] = { 3.0, 1.5 };
	const double outlier[] = { 3.0, 3.0, 3.0, 0.3, 3.0, 3.0, 3.0, 3.0 };
	const double modes[] = { 3.0, 2.5, 3.0, 2.5, 3.0, 2.5, 3.0, 2.5 };
	json_int_t tags = 0;

	OK_NEAR(of(median, NULL, 0, &tags), 1.25, 1e-9,
		"without visits that of the others");
	OK(tags == 10, "which moved");
	OK_NEAR(of(median, halved, 2, &tags), 3, 1e-9,
		"of two the one that nobody interrupted");
	OK_NEAR(of(median, outlier, 8, &tags), 3, 1e-9, "of many the median");
	OK(tags == 0, "and one interrupt is no change of the frequency");
	OK_NEAR(of(BENCH_EST_MIN, modes, 8, &tags), 3, 1e-9,
		"a minimum is of the fastest moment");
	OK(tags == 10, "two modes are a change");
	OK(has_cycles(3) && !has_cycles(NAN),
	   "cycles need the core's frequency");
	distances();
	shares();
	coarse_clocks();
	return tap_done();
}
