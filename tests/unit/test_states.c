/* SPDX-License-Identifier: MIT */
/* Two groups of rounds: found where they are, not found in made-up rounds of
 * one distribution. */
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "tests.h"
#include "uniform.h"

TEST(found)
{
	/* Readings of a run: a virtual CPU moved to another chiplet. */
	double core_to_core[] = { 420, 96, 90, 421, 127, 101, 93, 97, 110, 95 };
	double both[] = { 10, 14, 10, 14, 10, 14, 10 };
	double three[] = { 30, 10, 20, 10, 30, 20, 10, 30 };
	struct states s;
	struct result r;
	char *text;

	OK(states_find(&s, core_to_core, 10), "two of ten rounds");
	OK_NEAR(s.low, 96.5, 1e-12, "median of the eight");
	OK_NEAR(s.high, 420.5, 1e-12, "and of the two");
	OK(s.n_low == 8 && s.n_high == 2, "and how many");
	OK(states_find(&s, both, 7) && s.n_low == 4, "a gap of 1.4 exactly");
	OK(states_find(&s, three, 8) && s.low == 10 && s.n_low == 3 &&
		   s.high == 30,
	   "of two gaps the wider one");
	states_find(&s, both, 7);
	result_init(&r);
	r.status = RESULT_OK;
	result_set(&r.unit, "ns");
	OK(!states_text(&r), "a row without states");
	r.states = states_json(&s);
	text = states_text(&r);
	OK_STR(text, "10.0 ns (57 %) or 14.0 ns (43 %)", "the words");
	free(text);
	r.status = RESULT_FAILED;
	OK(!states_text(&r), "a row without a value");
	result_free(&r);
}

TEST(not_found)
{
	double few[] = { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 20, 20 };
	double one[] = { 10, 10, 10, 20 };
	double near[] = { 10, 10, 10, 13.9, 13.9 };
	double negative[] = { -2, -2, -1, -1 };
	double ramp[] = { 10, 13, 17, 22, 29, 38, 49, 64 };
	struct states s;

	OK(!states_find(&s, few, 12), "a sixth of the rounds is no state");
	OK(!states_find(&s, one, 4), "nor is a single round");
	OK(!states_find(&s, near, 5), "nor a gap below 1.4");
	OK(!states_find(&s, negative, 4), "nor what has no ratio");
	OK(!states_find(&s, ramp, 8), "nor a spread without a gap");
}

/* How many of 4000 rows with @n rounds fall in two groups, in a thousand. */
static double alarms(size_t n, double deviation)
{
	double x[40];
	struct states s;
	int hits = 0;

	for (int row = 0; row < 4000; row++) {
		for (size_t i = 0; i < n; i++)
			x[i] = exp(deviation * normal());
		hits += states_find(&s, x, n);
	}
	return hits / 4.0;
}

TEST(false_alarms)
{
	static const size_t rounds[] = { 5, 6, 7, 10, 20, 40 };

	for (size_t i = 0; i < sizeof(rounds) / sizeof(*rounds); i++) {
		OK(alarms(rounds[i], 0.1) < 1, "no false alarm at 10 %");
		OK(alarms(rounds[i], 0.2) < (rounds[i] < 10 ? 50 : 10),
		   "seldom one at 20 %");
	}
}
