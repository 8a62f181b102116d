/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "reference.h"
#include "tests.h"
#include "timer.h"

TEST(method_names)
{
	int good = 1;

	for (int m = 0; m < TIMER_METHODS; m++)
		good &= timer_find(timer_name((enum timer_method)m)) == m;
	OK(good, "every method is found by its name");
	OK(timer_find("sundial") == -EINVAL, "and no other");
}

/* The machines that the choice knows, made up: which features, what CPUID
 * takes. */
TEST(choice)
{
	static const struct {
		bool counter, rdtscp, invariant, hypervisor, fenced;
		uint64_t trap;
		enum timer_method want;
	} m[] = {
		/* Bare metal: the white paper's method. */
		{ 1, 1, 1, 0, 1, 120, TIMER_CPUID },
		/* CPUID traps, or may; lfence holds, or not. */
		{ 1, 1, 1, 1, 1, 9000, TIMER_LFENCE },
		{ 1, 1, 1, 1, 1, 120, TIMER_LFENCE },
		{ 1, 1, 1, 1, 0, 9000, TIMER_CPUID },
		/* The TSC is not invariant, or there is none. */
		{ 1, 1, 0, 0, 1, 120, TIMER_CLOCK },
		{ 0, 0, 0, 0, 0, 0, TIMER_CLOCK },
		/* No RDTSCP: the white paper's first method. */
		{ 1, 0, 1, 0, 1, 120, TIMER_CPUID2 },
		{ 1, 0, 1, 1, 1, 14000, TIMER_LFENCE2 },
		{ 1, 0, 1, 1, 0, 14000, TIMER_CPUID2 },
	};

	for (size_t i = 0; i < sizeof(m) / sizeof(*m); i++) {
		const struct timer_features f = { m[i].counter,
						  m[i].rdtscp,
						  m[i].invariant,
						  m[i].hypervisor,
						  m[i].fenced,
						  m[i].trap,
						  0 };
		const char *why = NULL;

		OK(timer_choose(&f, &why) == m[i].want && why && *why,
		   timer_name(m[i].want));
	}
}

TEST(usable)
{
	const struct timer_features none = { .trap_ticks = 0 };
	const struct timer_features old = { .counter = true,
					    .invariant = true,
					    .trap_ticks = 120 };
	struct timer t = { .features = none };
	const char *why = NULL, *of_old = NULL;

	OK(timer_usable(TIMER_CLOCK, &none, &why) &&
		   !timer_usable(TIMER_LFENCE, &none, &why) && why,
	   "without a TSC there is a clock, and no lfence");
	OK(!timer_usable(TIMER_CPUID, &old, &of_old) && of_old &&
		   timer_usable(TIMER_CPUID2, &old, &why) &&
		   timer_usable(TIMER_LFENCE2, &old, &why),
	   "cpuid needs RDTSCP, cpuid2 and lfence2 do not");
	OK(timer_calibrate(&t, TIMER_LFENCE, 0) == -ENOTSUP,
	   "an unusable method is not calibrated");
}

__attribute__((noinline)) static void chain(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++)
		__asm__ volatile("imul %0, %0" : "+r"(x) : : "cc");
}

static uint64_t least(enum timer_method m, uint64_t n)
{
	uint64_t best = UINT64_MAX, ticks;

	for (int i = 0; i < 200; i++) {
		TIMER_INTERVAL(m, ticks, chain(n));
		if (ticks < best)
			best = ticks;
	}
	return best;
}

/* No constants: a chain a thousand times as long takes longer. */
TEST(intervals)
{
	const char *why;
	double quantum, steps, worst = 0;
	struct timer_features f;

	timer_probe(&f);
	for (int i = 0; i < TIMER_METHODS; i++) {
		enum timer_method m = (enum timer_method)i;
		uint64_t t0;

		if (!timer_usable(m, &f, &why))
			continue;
		OK(least(m, 100000) > least(m, 100), timer_name(m));
		t0 = timer_begin(m);
		OK(timer_end(m) >= t0, "and it does not run backwards");
	}

	quantum = timer_quantum(TIMER_CLOCK, 1000);
	OK(quantum >= 1, "a clock advances in steps");
	if (!f.counter)
		return;
	quantum = timer_quantum(TIMER_FENCED, 100000);
	for (int i = 0; i < 1000; i++) {
		uint64_t t0 = timer_fenced_begin();

		steps = (double)(timer_fenced_begin() - t0) / quantum;
		/* A step is known to a thousandth of a tick: not in a gap. */
		if (steps > 100)
			continue;
		worst = fmax(worst, fabs(steps - round(steps)) * quantum);
	}
	OK(worst <= (quantum == round(quantum) ? 0 : 1.1),
	   "every step of the TSC is a multiple of its quantum, cut off");
}

TEST(calibration)
{
	struct timer_features f;
	struct timer t;
	double hz;

	timer_probe(&f);
	t = (struct timer) { .features = f };
	OK(!timer_calibrate(&t, TIMER_CLOCK, 0) && t.hz == 1e9,
	   "the clock's ticks are nanoseconds");
	OK(t.overhead_ticks > 0 && t.quantum_ticks >= 1, "it takes time");
	OK_NEAR(timer_ns(&t, 5), 5, 1e-12, "so 5 ticks are 5 ns");
	if (!f.invariant || !f.fenced)
		return;
	hz = t.tsc_hz;
	OK(hz > 0, "the TSC's rate is known beside it");
	t = (struct timer) { .features = f };
	OK(!timer_calibrate(&t, TIMER_FENCED, hz) && t.hz == hz,
	   "a rate that was measured before is kept");
	/* The check tells 2 in 1000, whatever became faster. */
	t = (struct timer) { .features = f };
	OK(!timer_calibrate(&t, TIMER_FENCED, 1.002 * hz), "a wrong one");
	OK_NEAR(t.hz / hz, 1, 1e-3, "is measured afresh");
	OK_NEAR(timer_ns(&t, t.hz), 1e9, 1e-3, "a second of ticks");
}

/* Made-up readings: 5 too short, 45 of 20 and 45 of 40 ticks, 5 too long. */
TEST(overhead)
{
	struct timer t = { .hz = 1e9 };
	double x[100];

	for (int i = 0; i < 100; i++)
		x[i] = i < 45 ? 40 : i < 90 ? 20 : i < 95 ? 9e9 : 0;
	timer_set_overhead(&t, x, 100);
	OK_NEAR(t.overhead_ticks, 30, 1e-12, "an empty interval is their mean");
	OK_NEAR(t.overhead_spread_ticks, 10, 1e-12, "which they are around");
}

/* A chain of 6144 cycles, and 30 ticks for the reading of the clock. */
TEST(rate)
{
	const struct timer t = { .hz = 2e9,
				 .now_rounds = 4,
				 .multiply_cycles = 3,
				 .now_offset_ticks = 30 };

	OK_NEAR(reference_rate(&t, 3072 + 30), 4e9, 1e-3,
		"the core's rate is without what the clock takes");
	OK(reference_rate(&t, 30) == 0, "or unknown");
}

TEST(multiply_cycles)
{
	OK(reference_multiply_cycles(1, 3.002) == 3, "a whole number");
	OK(reference_multiply_cycles(1.031, 3.003) == 3,
	   "also where additions take too long");
	OK_NEAR(reference_multiply_cycles(2, 5), 2.5, 1e-12,
		"or the ratio, where it is none");
	OK(reference_multiply_cycles(0, 3) == 0 &&
		   reference_multiply_cycles(1, 0) == 0,
	   "a clock that shows no chain tells nothing");
}

/* A clock too coarse for any chain, and one that never was calibrated. */
TEST(no_reference)
{
	struct timer t = { .method = TIMER_CLOCK,
			   .hz = 1e9,
			   .quantum_ticks = 1e9 };

	OK(reference_hz(&t) == 0, "not calibrated: unknown");
	reference_calibrate(&t);
	OK(!t.now_rounds && reference_hz(&t) == 0,
	   "too coarse a clock: unknown");
}
