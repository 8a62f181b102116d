/* SPDX-License-Identifier: MIT */
/* The division of an invocation's time, on made-up costs and spreads. */
#include <math.h>

#include "program.h"
#include "tests.h"

#define MS 1e6

static struct case_run c[3];
static struct case_run *runs[] = { &c[0], &c[1], &c[2] };

static struct case_run usual(void)
{
	return (struct case_run) { .got = { .visit_ns = 0.1 * MS,
					    .sampled_ns = 0.5 * MS,
					    .spread = 0.01,
					    .sampled = 5 } };
}

static void set_cost(struct case_run *run, double ns)
{
	run->got.sampled_ns = ns * run->got.sampled;
}

/* Samples of @run after so many @visits. */
static double samples(const struct case_run *run, unsigned int visits)
{
	const double ns = run->got.sampled_ns / run->got.sampled;

	return run->got.sampled + visits * run->got.time_ns / ns;
}

static double taken(unsigned int visits)
{
	double sum = 0;

	for (size_t i = 0; i < 3; i++)
		if (c[i].got.time_ns > 0)
			sum += visits * (c[i].got.time_ns + c[i].got.visit_ns);
	return sum;
}

static double error(const struct case_run *run)
{
	return run->got.spread / sqrt(samples(run, 1));
}

/* Divide among the first @n cases. */
static void divide(size_t n, double left_ns, unsigned int visits)
{
	struct bench b = { .runs = runs, .n_runs = n };

	visit_divide(&b, left_ns, visits);
}

/* Without shrinking, two cases have the typical spread of both. */
TEST(least)
{
	double sum, other;

	c[0] = c[1] = usual();
	set_cost(&c[1], 0.4 * MS);
	divide(2, 20 * MS, 1);
	sum = error(&c[0]) + error(&c[1]);
	c[0].got.time_ns += MS;
	c[1].got.time_ns -= MS;
	other = error(&c[0]) + error(&c[1]);
	OK(other > sum, "no time moved to the cheaper case lessens the errors");
	c[0].got.time_ns -= 2 * MS;
	c[1].got.time_ns += 2 * MS;
	other = error(&c[0]) + error(&c[1]);
	OK(other > sum, "and none moved to the dearer one");
}

TEST(shares)
{
	c[0] = c[1] = c[2] = usual();
	divide(3, 30 * MS, 3);
	OK_NEAR(samples(&c[0], 3), samples(&c[2], 3), 1e-6,
		"equal ones get equal");
	OK_NEAR(taken(3), 30 * MS, 1, "and all of the time");

	c[1].choice.weighty = true;
	divide(3, 30 * MS, 3);
	OK_NEAR(samples(&c[1], 3) / samples(&c[0], 3),
		cbrt(BUDGET_CORE * BUDGET_CORE), 1e-6,
		"a core row gets its multiple");
	OK_NEAR(taken(3), 30 * MS, 1, "within the time");

	c[1] = c[2] = usual();
	set_cost(&c[1], 0.8 * MS);
	divide(3, 60 * MS, 3);
	OK_NEAR(samples(&c[0], 3) / samples(&c[1], 3), 4, 1e-6,
		"samples of eight times the cost are a quarter");

	c[1] = usual();
	c[1].got.spread *= 64;
	divide(3, 60 * MS, 3);
	OK_NEAR(samples(&c[1], 3) / samples(&c[0], 3), 4, 1e-6,
		"what scatters more gets more, half of it believed");
	c[1].got.spread = NAN;
	divide(3, 60 * MS, 3);
	OK_NEAR(samples(&c[1], 3), samples(&c[0], 3), 1e-6,
		"a spread that is not known counts as the usual");
	c[1].got.spread = 0;
	divide(3, 60 * MS, 3);
	OK(c[1].got.time_ns == 0 && c[0].got.time_ns > 0,
	   "what does not scatter needs no more");

	c[1] = usual();
	c[1].got.sampled = 1000;
	set_cost(&c[1], 0.1 * MS);
	divide(3, 10 * MS, 3);
	OK(c[1].got.time_ns == 0, "what has enough gets nothing");
	OK_NEAR(taken(3), 10 * MS, 1, "and others have the time");

	c[1] = usual();
	divide(3, -1, 3);
	OK(taken(3) == 0, "time that is over is not divided");
	set_cost(&c[1], 100 * MS);
	divide(3, 30 * MS, 3);
	OK(c[1].got.time_ns == 0 && c[0].got.time_ns > 0,
	   "less than a sample in each visit is none");
	c[1].got.time_ns = 1;
	runs[0] = &c[1];
	divide(1, 30 * MS, 3);
	OK(c[1].got.time_ns == 0, "not even if it is alone");
}
