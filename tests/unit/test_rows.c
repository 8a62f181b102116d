/* SPDX-License-Identifier: MIT */
/* The core's frequency of a row, from made-up readings around its visits. */
#include <jansson.h>

#include "invocation.h"
#include "result.h"
#include "tap.h"

#define GHZ 1e9

static const struct bench_desc desc = { .name = "made_up" };

static struct case_run one_case(enum bench_estimator estimator)
{
	struct case_run run = { .name = (char *)"x=1",
				.c.estimator = estimator,
				.cold = NAN,
				.derived = NAN,
				.expected = NAN,
				.derived_resolution = NAN,
				.derived_low = NAN,
				.derived_high = NAN };

	run.params = json_object();
	for (int i = 0; i < 10; i++)
		sample_push(&run.events, 1000 + i);
	return run;
}

/* The row's frequency; @tags gets how many samples it moved under. */
static double core_hz(struct case_run *run, const double *ghz, size_t n,
		      json_int_t *tags)
{
	const struct bench b = { .desc = &desc,
				 .timer = { .hz = 2 * GHZ, .tsc_hz = 2 * GHZ },
				 .core_hz_before = 1 * GHZ,
				 .core_hz_after = 1.5 * GHZ };
	struct result row;
	double hz;

	for (size_t i = 0; i < n; i++)
		sample_push(&run->core_hz, ghz[i] * GHZ);
	if (rows_make(&b, run, &row))
		return NAN;
	hz = row.core_hz;
	*tags = json_integer_value(json_object_get(row.tags, "frequency"));
	result_free(&row);
	sample_free(&run->core_hz);
	sample_free(&run->events);
	json_decref(run->params);
	return hz / GHZ;
}

static double of(enum bench_estimator estimator, const double *ghz, size_t n,
		 json_int_t *tags)
{
	struct case_run run = one_case(estimator);

	return core_hz(&run, ghz, n, tags);
}

int main(void)
{
	const enum bench_estimator median = BENCH_EST_MEDIAN;
	const double halved[] = { 3.0, 1.5 };
	const double outlier[] = { 3.0, 3.0, 3.0, 0.3, 3.0, 3.0, 3.0, 3.0 };
	const double modes[] = { 3.0, 2.5, 3.0, 2.5, 3.0, 2.5, 3.0, 2.5 };
	json_int_t tags = 0;

	OK_NEAR(of(median, NULL, 0, &tags), 1.25, 1e-9,
		"without visits the process's ends");
	OK(tags == 10, "which moved");
	OK_NEAR(of(median, halved, 2, &tags), 3, 1e-9,
		"of two the one that nobody interrupted");
	OK_NEAR(of(median, outlier, 8, &tags), 3, 1e-9, "of many the median");
	OK(tags == 0, "and one interrupt is no change of the frequency");
	OK_NEAR(of(BENCH_EST_MIN, modes, 8, &tags), 3, 1e-9,
		"a minimum is of the fastest moment");
	OK(tags == 10, "two modes are a change");
	return tap_done();
}
