/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>

#include "change_points.h"
#include "leaks.h"
#include "tap.h"
#include "uniform.h"

static void by_hand(void)
{
	static const double step[] = { 1, 2,   1.5, 1.2, 1.8,
				       9, 9.5, 9.2, 9.9, 9.1 };
	static const double flat[] = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
	struct change c[4];

	OK(change_find(c, 4, step, 10, 0.05) == 1, "one step");
	OK(c[0].at == 5, "at its place");
	OK_NEAR(c[0].shift, 9.2 - 1.5, 1e-12, "with its size");
	/* 2 of the 252 ways to deal 10 values into 5 and 5 are as extreme,
	 * and no other split can be. */
	OK_NEAR(c[0].p, 2.0 / 252, 0.004, "and its chance");
	OK(change_find(c, 4, step, 7, 0.05) == 0, "too few values");
	OK(change_find(c, 4, flat, 10, 0.05) == 0, "nothing but ties");
	OK(change_least(0.05) == 8, "2 of 70 ways to deal 8 into halves");
	OK(change_least(0.025) == 10, "are too many for less");
	OK(change_find(c, 0, step, 10, 0.05) == 0, "no room");
}

static void two_steps(void)
{
	struct change c[8];
	double v[30];

	for (int i = 0; i < 30; i++)
		v[i] = (i < 10 ? 0 : i < 20 ? 1 : 0.5) + 0.1 * uniform();
	OK(change_find(c, 8, v, 30, 0.05) == 2, "up and down again");
	OK(c[0].at == 10 && c[1].at == 20, "in order of time");
	OK(c[0].shift > 0.8 && c[1].shift < -0.3, "with their signs");
}

static void long_series(void)
{
	double v[CHANGE_MAX + 100];
	struct change c[8];

	for (size_t i = 0; i < CHANGE_MAX + 100; i++)
		v[i] = (i < 50 ? 5 : i < 600 ? 0 : 1) + 0.1 * uniform();
	OK(change_find(c, 8, v, CHANGE_MAX + 100, 1e-3) == 1,
	   "what is too long loses its beginning");
	OK(c[0].at == 600, "and counts from there");
}

/* 400 series without any change; the seed is fixed. */
static void false_alarms(void)
{
	struct change c[8];
	int alarms = 0;

	for (int i = 0; i < 400; i++) {
		double v[12];

		for (int j = 0; j < 12; j++)
			v[j] = -log(uniform());
		alarms += change_find(c, 8, v, 12, 0.05) > 0;
	}
	printf("# %d alarms in 400\n", alarms);
	OK(alarms <= 36, "false alarms stay at 5 %");
}

int main(void)
{
	state = 2463534242u;
	by_hand();
	two_steps();
	long_series();
	false_alarms();
	return tap_done();
}
