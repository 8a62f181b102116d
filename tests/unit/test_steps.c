/* SPDX-License-Identifier: MIT */
/* Steps of curves that are known: clean, with noise, with gaps. */
#include "../../bench/memory/lib/steps.h"

#include "tests.h"

TEST(gaps)
{
	const double ns[] = { 8, NAN, 8, INFINITY };

	OK(steps_gap(ns, 0, 4) == 1, "a gap");
	OK(steps_gap(ns, 1, 4) == 1, "at the beginning");
	OK(steps_gap(ns, 2, 4) == 3, "a failed ratio is one too");
	OK(steps_gap(ns, 2, 3) == 3, "none");
}

TEST(ways)
{
	double ns[24];

	for (int i = 0; i < 24; i++)
		ns[i] = i < 12 ? 2.1 : 4.3;
	OK(steps_ways(ns, 0, 4, 24, 1.3) == 12, "twelve lines fit");
	ns[5] = 6;
	OK(steps_ways(ns, 0, 4, 24, 1.3) == 12, "one is noise");
	ns[12] = NAN;
	OK(steps_ways(ns, 0, 4, steps_gap(ns, 0, 24), 1.3) == 0,
	   "not known where the first that do not fit have no value");
	ns[12] = 4.3;
	OK(steps_ways(ns, 0, 4, 14, 1.3) == 0, "nor where they are too few");
	OK(steps_ways(ns, 0, 4, 0, 1.3) == 0, "nor of nothing");
	OK(steps_ways(ns, 13, 3, 24, 1.3) == 0, "no step in the second part");
}

/* Read on a Zen 3 whose host breaks huge pages up: nothing leaves L2. */
TEST(ways_of_second)
{
	const double flat[] = { 1.6, 1.6, 1.6, 1.6, 1.6, 1.6, 1.7,
				1.7, 8.3, 5.1, 4.9, 5.9, 6.0, 5.4,
				4.6, 6.0, 6.1, 6.3, 5.9, 6.0, 6.0,
				6.0, 6.1, 6.1, 6.6, 6.6, 6.6, 5.7 };
	/* On a Golden Cove, two guests on the core. */
	double full[28];

	OK(steps_ways(flat, 9, 3, 28, 2) == 0,
	   "lines of one L1 set that all stay in L2 show no ways of L2");
	for (int i = 0; i < 28; i++)
		full[i] = i < 12 ? 2.2 : i < 16 ? 8.4 : i < 17 ? 20 : 37;
	OK(steps_ways(full, 13, 3, 28, 2) == 16, "sixteen ways");
}
