/* SPDX-License-Identifier: MIT */
/* The step of a clock, from readings of made-up clocks whose step is known. */
#include "quantum.h"

#include <stdbool.h>
#include <stdint.h>

#include "tests.h"

/* A clock of @step ticks, read at distances of @base and up to @spread ticks
 * more; the moments themselves are fine. */
static uint32_t seed = 12345;

static double found(double step, double base, double spread, int reads)
{
	struct quantum q;
	uint32_t random = seed;
	uint64_t last = 0;
	double now = 1e9;

	quantum_start(&q);
	for (int i = 0; i < reads; i++) {
		uint64_t shown;

		random = random * 1664525 + 1013904223;
		now += base + spread * (random >> 8) / (1 << 24);
		shown = (uint64_t)(floor(now / step) * step);
		if (i)
			quantum_add(&q, shown - last);
		last = shown;
	}
	return quantum_step(&q) / 65536.0;
}

TEST(whole_steps)
{
	OK(found(1, 40, 300, 4000) == 1, "a clock that shows every tick");
	OK(found(2, 40, 300, 4000) == 2, "every second one");
	OK(found(26, 30, 300, 4000) == 26, "26 ticks: 10 ns of 2.6 GHz");
	OK(found(1000, 30, 300, 100000) == 1000, "a clock of microseconds");
	OK(found(26, 200, 300, 4000) == 26, "a read that takes many steps");
}

TEST(broken_steps)
{
	OK_NEAR(found(22.5, 20, 200, 4000), 22.5, 0.05,
		"22.5 ticks, 10 ns of 2.25 GHz: 22 or 23 are seen");
	OK_NEAR(found(22.5, 60, 200, 4000), 22.5, 0.05,
		"and with reads of three steps");
	OK_NEAR(found(41.67, 60, 300, 4000), 41.67, 0.05,
		"41.67 ticks: a counter that says 1 GHz and steps at 24 MHz");
	OK(found(17, 30, 300, 4000) == 17, "17 ticks");
	OK_NEAR(found(36.5, 50, 300, 4000), 36.5, 0.05, "36.5 ticks");
	OK_NEAR(found(24.95, 25, 300, 4000), 24.95, 0.05, "24.95 ticks");
	OK_NEAR(found(6.25, 30, 300, 4000), 6.25, 0.05, "6.25 ticks");
	OK_NEAR(found(10.4, 21, 100, 4000), 10.4, 0.05, "10.4 ticks");
	OK_NEAR(found(6.25, 90, 300, 4000), 6.25, 0.05,
		"6.25 with reads of fourteen steps");
}

/* With the long delays that timer_quantum() takes for a second look: exact
 * whatever the delays are, and what a few short multiples leave open. */
TEST(long_delays)
{
	static const double steps[] = { 41.67, 1e9 / 24e6,   22.5,	  17,
					36.5,  1e9 / 19.2e6, 1e9 / 38.4e6 };
	double worst = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		for (int ghz = 1; ghz < 5; ghz++)
			for (seed = 1; seed < 2000; seed += 97)
				worst = fmax(worst,
					     fabs(found(steps[i],
							25 + 64.0 / ghz,
							8192.0 / ghz, 1000) -
						  steps[i]));
	seed = 12345;
	OK(worst < 0.02, "long delays tell every step to a fiftieth of a tick");
}

/* Readings that no step explains must not get one. */
TEST(no_step)
{
	struct quantum q;
	bool one = true;

	quantum_start(&q);
	OK(quantum_step(&q) == 65536, "no difference: one tick");
	quantum_add(&q, 0);
	quantum_add(&q, UINT64_MAX);
	OK(q.n == 0 && quantum_step(&q) == 65536,
	   "zeros and gaps are left out");
	/* A constant loop of 29.03 ticks on a clock that shows each. */
	for (uint64_t i = 1; i < 4000; i++)
		quantum_add(&q, (uint64_t)(29.03 * (double)(i + 1)) -
					(uint64_t)(29.03 * (double)i));
	OK(quantum_step(&q) == 65536,
	   "two lengths alone prove no step of 29.03");
	for (int reads = 20; reads < 200; reads++)
		one &= found(1, 40, 400, reads) == 1;
	OK(one, "twenty readings suffice to see that");
	for (int spread = 50; spread < 1000; spread++)
		one &= found(1, 25, spread, 2000) == 1;
	OK(one, "no step is seen where there is none");
	quantum_start(&q);
	for (uint64_t i = 100; i < 65535; i += 31)
		quantum_add(&q, i);
	OK(q.lengths == QUANTUM_LENGTHS && quantum_step(&q) == QUANTUM_ONE,
	   "more lengths than there is room for");
}

/* The arithmetic has 32 bits. */
TEST(long_lengths)
{
	struct quantum q;

	quantum_start(&q);
	for (int k = 1; k <= 200; k++)
		quantum_add(&q, (uint64_t)(31.5 * k));
	for (int k = 2000; k <= 2050; k++)
		quantum_add(&q, (uint64_t)(31.5 * k));
	OK(q.length[q.lengths - 1] > 64500, "lengths up to the longest");
	OK_NEAR(quantum_step(&q) / 65536.0, 31.5, 1e-3, "still make a step");
}
