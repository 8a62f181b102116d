/* SPDX-License-Identifier: MIT */
/* The division of an invocation's time, on made-up costs and spreads. */
#include <math.h>

#include "budget.h"
#include "tap.h"

#define MS 1e6

static struct budget_case usual(void)
{
	return (struct budget_case) { .weight = 1,
				      .visit_ns = 0.1 * MS,
				      .sample_ns = 0.1 * MS,
				      .spread = 0.01,
				      .samples = 5 };
}

static double samples(const struct budget_case *c)
{
	return c->samples + c->time_ns / c->sample_ns;
}

static double taken(const struct budget_case *cases, size_t n,
		    unsigned int visits)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (cases[i].time_ns > 0)
			sum += cases[i].time_ns + visits * cases[i].visit_ns;
	return sum;
}

static double error(const struct budget_case *c)
{
	return c->weight * c->spread / sqrt(samples(c));
}

/* Without shrinking, two cases have the typical spread of both. */
static void test_least(void)
{
	struct budget_case c[2] = { usual(), usual() };
	double sum, other;

	c[1].sample_ns = 0.4 * MS;
	budget_divide(c, 2, 20 * MS, 1);
	sum = error(&c[0]) + error(&c[1]);
	c[0].time_ns += MS;
	c[1].time_ns -= MS;
	other = error(&c[0]) + error(&c[1]);
	OK(other > sum, "no time moved to the cheaper case lessens the errors");
	c[0].time_ns -= 2 * MS;
	c[1].time_ns += 2 * MS;
	other = error(&c[0]) + error(&c[1]);
	OK(other > sum, "and none moved to the dearer one");
}

int main(void)
{
	struct budget_case c[3] = { usual(), usual(), usual() };

	budget_divide(c, 3, 30 * MS, 3);
	OK_NEAR(samples(&c[0]), samples(&c[2]), 1e-6, "equal ones get equal");
	OK_NEAR(taken(c, 3, 3), 30 * MS, 1, "and all of the time");

	c[1].weight = BUDGET_CORE;
	budget_divide(c, 3, 30 * MS, 3);
	OK_NEAR(samples(&c[1]) / samples(&c[0]), budget_share(BUDGET_CORE),
		1e-6, "a core row gets its multiple");
	OK_NEAR(taken(c, 3, 3), 30 * MS, 1, "within the time");

	c[1] = c[2] = usual();
	c[1].sample_ns *= 8;
	budget_divide(c, 3, 60 * MS, 3);
	OK_NEAR(samples(&c[0]) / samples(&c[1]), 4, 1e-6,
		"samples of eight times the cost are a quarter");

	c[1] = usual();
	c[1].spread *= 64;
	budget_divide(c, 3, 60 * MS, 3);
	OK_NEAR(samples(&c[1]) / samples(&c[0]), 4, 1e-6,
		"what scatters more gets more, half of it believed");
	c[1].spread = NAN;
	budget_divide(c, 3, 60 * MS, 3);
	OK_NEAR(samples(&c[1]), samples(&c[0]), 1e-6,
		"a spread that is not known counts as the usual");
	c[1].spread = 0;
	budget_divide(c, 3, 60 * MS, 3);
	OK(c[1].time_ns == 0 && c[0].time_ns > 0,
	   "what does not scatter needs no more");

	c[1] = usual();
	c[1].samples = 1000;
	budget_divide(c, 3, 10 * MS, 3);
	OK(c[1].time_ns == 0, "what has enough gets nothing");
	OK_NEAR(taken(c, 3, 3), 10 * MS, 1, "and others have the time");

	c[1] = usual();
	budget_divide(c, 3, -1, 3);
	OK(taken(c, 3, 3) == 0, "time that is over is not divided");
	c[1].sample_ns = 100 * MS;
	budget_divide(c, 3, 30 * MS, 3);
	OK(c[1].time_ns == 0 && c[0].time_ns > 0,
	   "less than a sample in each visit is none");
	c[1].time_ns = 1;
	budget_divide(&c[1], 1, 30 * MS, 3);
	OK(c[1].time_ns == 0, "not even if it is alone");
	test_least();
	return tap_done();
}
