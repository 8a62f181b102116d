/* SPDX-License-Identifier: MIT */
/* Grades of made-up rows, and whether another run lies where they say. */
#include <stdlib.h>

#include "grade.h"
#include "quoted.h"
#include "stats.h"
#include "tests.h"
#include "uniform.h"

/* 100 ns with an interval of @half ns to both sides, and such @tags. */
static struct result row(double half, const char *tags)
{
	struct result r;

	result_init(&r);
	result_set(&r.unit, "ns");
	r.value = 100;
	r.ci95[0] = 100 - half;
	r.ci95[1] = 100 + half;
	r.samples = 100;
	r.cpu = 1;
	r.tags = quoted(tags);
	return r;
}

/* Frees @r.  Return: its grade, '-' if it has none. */
static char grade(struct result r, double between)
{
	char got = '-';

	grade_set(&r, between);
	if (r.grade)
		got = *r.grade;

	result_free(&r);
	return got;
}

TEST(by_interval)
{
	struct result r = row(2, "{}");

	grade_set(&r, NAN);
	OK_NEAR(r.within, 0.0282842712, 1e-9,
		"two runs differ by the root of 2 times the interval");
	OK_STR(r.grade, "B", "2.8 % are a B");
	OK(!grade_doubt(&r), "of which there is no more to say");
	result_free(&r);
	OK(grade(row(1.414, "{}"), NAN) == 'A' &&
		   grade(row(1.415, "{}"), NAN) == 'B',
	   "A is within 2 %");
	OK(grade(row(3.535, "{}"), NAN) == 'B' &&
		   grade(row(3.536, "{}"), NAN) == 'C',
	   "B within 5 %");
	OK(grade(row(7.071, "{}"), NAN) == 'C' &&
		   grade(row(7.072, "{}"), NAN) == 'D',
	   "C within 10 %");
	OK(grade(row(NAN, "{}"), NAN) == '-' &&
		   grade(row(NAN, "{}"), 0.01) == '-',
	   "without an interval there is none");
}

TEST(by_earlier_runs)
{
	struct result r = row(1, "{}");
	char *why;

	OK(grade(row(1, "{}"), 0.01) == 'A', "earlier runs that agree");
	grade_set(&r, 0.07);
	why = grade_doubt(&r);
	OK_STR(r.grade, "C", "an earlier run lay further off");
	OK_NEAR(r.within, 0.07, 1e-12, "so far the next one may lie");
	OK_STR(why, "earlier runs of this machine lay up to 7.0 % away",
	       "and the remark says it");
	free(why);
	result_free(&r);
}

static char tagged(const char *tags)
{
	return grade(row(1, tags), NAN);
}

TEST(by_samples)
{
	struct result r = row(1, "{'waited': 50, 'involuntary': 10}");
	char *why;

	OK(tagged("{'involuntary': 5}") == 'A' &&
		   tagged("{'migrated': 5}") == 'A',
	   "5 % of the samples switched out or moved are not seen in a median");
	OK(tagged("{'involuntary': 6}") == 'C' &&
		   tagged("{'involuntary': 3, 'migrated': 3}") == 'C' &&
		   tagged("{'migrated': 20}") == 'C',
	   "more: C");
	OK(tagged("{'involuntary': 11, 'migrated': 10}") == 'D',
	   "more than 20 %: D");
	OK(tagged("{'waited': 25}") == 'C' && tagged("{'waited': 26}") == 'D',
	   "those that waited are none of the samples");
	OK(tagged("{'frequency': 49, 'shared': 49}") == 'A' &&
		   tagged("{'frequency': 50}") == 'C' &&
		   tagged("{'shared': 50}") == 'C',
	   "another frequency or a shared core in half of them: C");
	OK(tagged("{'throttled': 50}") == 'C' &&
		   tagged("{'stolen': 50}") == 'C' &&
		   tagged("{'stolen': 49}") == 'A',
	   "held back by a quota, or by the host, in half of them: C");
	r.cpu = -1;
	grade_set(&r, NAN);
	OK(*r.grade == 'D', "bound to no CPU: D");
	r.cpu = RESULT_CPUS_DIFFER;
	grade_set(&r, 0.07);
	why = grade_doubt(&r);
	OK_STR(why, "other work had the CPU in 40 % of the samples",
	       "the worst doubt gives the reason");
	free(why);
	result_free(&r);
	OK(grade(row(NAN, "{'involuntary': 20}"), NAN) == '-' &&
		   grade(row(NAN, "{'involuntary': 21}"), NAN) == 'D',
	   "one process run has no grade, but the worst");
	r = row(1, "{}");
	r.cpu = -1;
	OK(grade(r, NAN) == 'A', "a row without tags says nothing");
}

TEST(of_others)
{
	struct result r = row(1, "{}");

	result_set(&r.unit, "level");
	OK(grade(r, NAN) == '-', "a level has none");
	r = row(1, "{}");
	r.at_least = 99;
	OK(grade(r, NAN) == '-', "nor has what lies between two tries");
	r = row(1, "{}");
	r.status = RESULT_BELOW_RESOLUTION;
	r.value = NAN;
	OK(grade(r, NAN) == '-', "nor what has no value");
	r = row(1, "{}");
	r.states = json_object();
	OK(grade(r, NAN) == 'D', "of two levels another run may have either");
	r = row(NAN, "{}");
	r.trend = json_object();
	OK(grade(r, NAN) == 'D', "a value that moves is not to be relied on");
}

/* A run of @n rounds with a deviation of 2 %. */
static struct result run(size_t n)
{
	struct result r = row(NAN, "{}");
	double x[40];
	size_t lo, hi;

	for (size_t i = 0; i < n; i++)
		x[i] = 100 + 2 * normal();
	r.value = stats_median(x, n);
	stats_order_ranks(n, 0.95, &lo, &hi);
	r.ci95[0] = x[lo - 1];
	r.ci95[1] = x[hi - 1];
	grade_set(&r, NAN);
	return r;
}

TEST(another_run)
{
	static const size_t rounds[] = { 6, 10, 20, 40 };

	for (size_t k = 0; k < 4; k++) {
		char what[80];
		int near = 0;

		for (int i = 0; i < 4000; i++) {
			struct result a = run(rounds[k]), b = run(rounds[k]);

			near += fabs(b.value / a.value - 1) <= a.within;
			result_free(&a);
			result_free(&b);
		}
		snprintf(what, sizeof(what),
			 "%zu rounds: another run lies there in %.1f %%",
			 rounds[k], near / 40.0);
		OK(near >= 0.935 * 4000 && near <= 0.99 * 4000, what);
	}
}

TEST(words)
{
	OK_STR(noise_word(0.0009), "quiet", "under 0.1 %");
	OK_STR(noise_word(0.001), "nearly quiet", "under 1 %");
	OK_STR(noise_word(0.0499), "noisy", "under 5 %");
	OK_STR(noise_word(0.05), "very noisy", "more");
}
