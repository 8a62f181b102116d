/* SPDX-License-Identifier: MIT */
/* The core's frequency and its share of a row, from made-up readings around its
 * visits. */
#include <jansson.h>

#include "made_up.h"
#include "tests.h"
#include "uniform.h"

#define GHZ 1e9

static struct case_run one_case(enum bench_estimator estimator)
{
	struct case_run run =
		made_up((struct bench_case) { .estimator = estimator });

	for (int i = 0; i < 10; i++)
		sample_push(&run.got.events, 1000 + i);
	return run;
}

static json_int_t tagged(const struct result *row, const char *tag)
{
	return json_integer_value(json_object_get(row->tags, tag));
}

/* The core's frequency, from @n readings around the visits; around those to
 * other cases it was 1 and 1.5 GHz. */
TEST(frequencies)
{
	static const struct {
		enum bench_estimator estimator;
		double ghz[8];
		size_t n;
		double want;
		json_int_t moved; /* of ten samples */
		const char *what;
	} t[] = {
		{ BENCH_EST_MEDIAN, { 0 }, 0, 1.25, 10, "of the others" },
		{ BENCH_EST_MEDIAN, { 3, 1.5 }, 2, 3, -1, "the undisturbed" },
		{ BENCH_EST_MEDIAN,
		  { 3, 3, 3, 0.3, 3, 3, 3, 3 },
		  8,
		  3,
		  0,
		  "an interrupt is no change" },
		{ BENCH_EST_MIN,
		  { 3, 2.5, 3, 2.5, 3, 2.5, 3, 2.5 },
		  8,
		  3,
		  10,
		  "a minimum is of the fastest moment; two modes are a "
		  "change" },
	};
	double others[] = { 1 * GHZ, 1.5 * GHZ, 1 * GHZ, 1.5 * GHZ };
	const struct bench b = { .desc = &made_up_desc,
				 .timer = { .hz = 2 * GHZ, .tsc_hz = 2 * GHZ },
				 .now.core_hz = { .v = others, .n = 4 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct case_run run = one_case(t[i].estimator);
		const struct result *row;

		for (size_t k = 0; k < t[i].n; k++)
			sample_push(&run.got.core_hz, t[i].ghz[k] * GHZ);
		row = made_up_row(&b, &run);
		OK_NEAR(row->core_hz / GHZ, t[i].want, 1e-9, t[i].what);
		OK(t[i].moved < 0 || tagged(row, "frequency") == t[i].moved,
		   "samples under another frequency");
	}
	for (int known = 0; known < 2; known++) {
		double hz[] = { known ? 3 * GHZ : NAN };
		const struct bench one = { .desc = &made_up_desc,
					   .timer = { .hz = 1e9 },
					   .now.core_hz = { .v = hz, .n = 1 } };
		struct case_run run = one_case(BENCH_EST_MEDIAN);

		run.c.histogram = BENCH_HIST_CYCLES;
		OK(!!made_up_row(&one, &run)->histogram == known,
		   "cycles need the core's frequency");
	}
}

/* The core's share; the best of all cases is 4. */
TEST(shares)
{
	static const struct {
		double share[6];
		size_t n;
		double low, high;
		json_int_t beside; /* of ten samples */
		const char *what;
	} t[] = {
		{ { 0 }, 0, 3.96, 3.96, 0, "that beside the others" },
		{ { 3.95, 3.9, 3.97 }, 3, 3.95, 3.95, 0, "a core by itself" },
		{ { 3.95, 2.5, 3.97, 3.0, 3.96, 2.2 },
		  6,
		  0,
		  3.9599,
		  5,
		  "beside others half of the time" },
	};
	double all[] = { 4.0, 3.0, 3.96 };
	const struct bench b = { .desc = &made_up_desc,
				 .timer = { .hz = 1e9, .tsc_hz = 1e9 },
				 .now.core_share = { .v = all, .n = 3 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct case_run run = one_case(BENCH_EST_MEDIAN);
		const struct result *row;

		for (size_t k = 0; k < t[i].n; k++)
			sample_push(&run.got.core_share, t[i].share[k]);
		row = made_up_row(&b, &run);
		OK(row->core_share > t[i].low - 1e-9 &&
			   row->core_share < t[i].high + 1e-9 &&
			   tagged(row, "shared") == t[i].beside,
		   t[i].what);
	}
}

/* Values recorded in a unit, read in steps beside a counter of 10 ns. */
TEST(steps_of_values)
{
	static const struct {
		const char *unit;
		double step, want;
	} t[] = { { "ns", 1, 10 },
		  { "ns", 1000, 1000 },
		  { "pages", 1, 1 },
		  { "ns", 0, NAN } };
	const struct bench b = { .desc = &made_up_desc,
				 .timer = { .hz = 2e9, .quantum_ticks = 20 } };

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		struct case_run run = one_case(BENCH_EST_MEDIAN);
		double got;

		run.got.own_unit = true;
		run.c.unit = t[i].unit;
		run.c.step = t[i].step;
		got = made_up_row(&b, &run)->quantum;
		OK(isnan(t[i].want) ? isnan(got) : fabs(got - t[i].want) < 1e-9,
		   "the step of a value");
	}
}

/* The row of one invocation: @n events of @time ticks each and, in some of
 * them, an interrupt, on a clock of @step ticks; the timer takes @overhead of
 * them. */
static void timed(struct result *row, double step, double time, double overhead,
		  size_t n)
{
	const struct bench b = { .desc = &made_up_desc,
				 .timer = { .hz = 1e9,
					    .quantum_ticks = step,
					    .overhead_ticks = overhead } };
	struct case_run run = made_up((struct bench_case) { 0 });

	for (size_t i = 0; i < n; i++) {
		const double begin = 1000 * step * uniform();
		const double end =
			begin + time + overhead + (uniform() < 0.02 ? 5000 : 0);

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

TEST(coarse_clocks)
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
	OK_NEAR(row.quantum, 22.5, 1e-9, "and what the step of the clock is");
	result_free(&row);
}
