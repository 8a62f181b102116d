/* SPDX-License-Identifier: MIT */
/* Steps of curves that are known: clean, with noise, with gaps. */
#include "../../bench/memory/lib/steps.h"

#include "tap.h"

/* At 8, 16, 32, 48, 56, 64, 96, 128, 192 and 256 bytes. */
#define POINTS 10

static void lines(void)
{
	const double clean[POINTS] = { 8, 8, 8, 8, 8, 14, 14, 14, 14, 14 };
	const double flat[POINTS] = { 8, 8.2, 8, 8.5, 8, 8.1, 8, 8, 9, 8 };
	double ns[POINTS];

	OK(steps_line(clean, POINTS) == 5, "the first of the slow ones");
	OK(steps_line(flat, POINTS) == 0, "no step");
	memcpy(ns, clean, sizeof(ns));
	ns[9] = 40;
	OK(steps_line(ns, POINTS) == 5, "the last one disturbed");
	memcpy(ns, clean, sizeof(ns));
	ns[6] = 8;
	OK(steps_line(ns, POINTS) == -5, "a fast one beyond the step");
	memcpy(ns, clean, sizeof(ns));
	ns[2] = 14;
	OK(steps_line(ns, POINTS) == -2, "a slow one before it");
}

static void gaps(void)
{
	const double ns[] = { 8, NAN, 8, INFINITY };

	OK(steps_gap(ns, 0, 4) == 1, "a gap");
	OK(steps_gap(ns, 1, 4) == 1, "at the beginning");
	OK(steps_gap(ns, 2, 4) == 3, "a failed ratio is one too");
	OK(steps_gap(ns, 2, 3) == 3, "none");
}

static void ways(void)
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
static void ways_of_second(void)
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

int main(void)
{
	lines();
	gaps();
	ways();
	ways_of_second();
	return tap_done();
}
