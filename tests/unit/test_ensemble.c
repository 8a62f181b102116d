// SPDX-License-Identifier: MIT
/*
 * The acceptance test's statistics, against hand-computed answers, against
 * the compiler's own 128-bit arithmetic, and against the paper's routine.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ensemble.h"
#include "tests.h"
#include "uniform.h"

/* All lengths of numbers, not only long ones. */
static uint64_t next_random(void)
{
	uniform();
	return state >> (state & 63);
}

TEST(test_wide)
{
	static const struct {
		wide x;
		unsigned int digits;
		const char *want;
	} t[] = { { 12500, 3, "12.500" },
		  { 7, 3, "0.007" },
		  { 0, 0, "0" },
		  { (wide)1 << 64, 0, "18446744073709551616" },
		  { ~(wide)0, 6, "340282366920938463463374607431768.211455" } };
	char text[WIDE_TEXT];
	bool divide = true;

	for (int i = 0; i < 100000; i++) {
		const wide a = (wide)next_random() << 64 | next_random();
		const uint64_t d = next_random() | 1;
		wide q = a;

		divide &= wide_div(&q, d) == a % d && q == a / d;
	}
	OK(divide, "wide_div agrees with the compiler's division");
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK_STR(wide_print(text, t[i].x, t[i].digits), t[i].want,
		       t[i].want);
}

static wide variance(const uint64_t *x, size_t n, uint32_t scale,
		     bool *overflow)
{
	struct ensemble e;

	ensemble_start(&e);
	for (size_t i = 0; i < n; i++)
		ensemble_add(&e, x[i]);
	*overflow = e.overflow;
	return ensemble_variance(&e, scale);
}

static uint64_t variance_milli(const uint64_t *x, size_t n, bool *overflow)
{
	const wide v = variance(x, n, ENSEMBLE_MILLI, overflow);

	*overflow |= v >> 64 != 0;
	return (uint64_t)v;
}

TEST(test_variance)
{
	static const struct {
		uint64_t x[4];
		size_t n;
		uint64_t milli;
		bool over;
		const char *what;
	} t[] = {
		{ { 1, 2, 3, 4 }, 4, 1250, false, "1 2 3 4: 1.25" },
		{ { 44, 44, 44 }, 3, 0, false, "a constant: 0" },
		{ { 0, 0, 1 }, 3, 222, false, "0 0 1: 2/9, rounded down" },
		{ { 1ull << 60, (1ull << 60) + 1 }, 2, 250, false, "at 2^60" },
		{ { ~0ull, ~0ull }, 2, 0, true, "squares over 128 bits" },
	};
	bool over, same = true;
	uint64_t x[50];

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const uint64_t v = variance_milli(t[i].x, t[i].n, &over);

		OK(over == t[i].over && (over || v == t[i].milli), t[i].what);
	}
	for (int i = 0; i < 2000; i++) {
		const size_t n = 1 + next_random() % 50;
		wide sum = 0, squares = 0, top;
		uint64_t scale;

		for (size_t k = 0; k < n; k++) {
			x[k] = next_random() >> 16;
			sum += x[k];
			squares += (wide)x[k] * x[k];
		}
		top = squares * n - sum * sum;
		scale = top >> 110 ? 1 : ENSEMBLE_MILLI;
		same &= variance(x, n, (uint32_t)scale, &over) ==
			top * scale / ((wide)n * n);
	}
	OK(same, "variances agree with __int128");
}

/* One sample in 500 was hit by an interrupt of 4 million ticks: 4e6^2 * (1/500)
 * * (499/500), which overflows the paper's own routine. */
TEST(test_overflow)
{
	const size_t n = 100000; /* the paper's SIZE_OF_STAT */
	uint64_t *x = calloc(n, sizeof(*x));
	bool over;

	for (size_t i = 0; x && i < n; i++)
		x[i] = i % 500 ? 0 : 4000000;
	OK(x && variance_milli(x, n, &over) == 31936000000000 && !over,
	   "a variance that needs 128 bits");
	free(x);
}

static void add_ensemble(struct ensemble_series *s, const uint64_t *x, size_t n)
{
	struct ensemble_row row;
	struct ensemble e;

	ensemble_start(&e);
	for (size_t i = 0; i < n; i++)
		ensemble_add(&e, x[i]);
	ensemble_series_add(s, &e, &row);
}

TEST(test_series)
{
	struct ensemble_series s;
	struct ensemble_figures f;

	ensemble_series_start(&s, 4);
	add_ensemble(&s, (uint64_t[]) { 44, 48 }, 2);  /* variance 4 */
	add_ensemble(&s, (uint64_t[]) { 52, 52 }, 2);  /* 0 */
	add_ensemble(&s, (uint64_t[]) { 48, 148 }, 2); /* 2500; one step down */
	add_ensemble(&s, (uint64_t[]) { 40, 40 }, 2);  /* 0; two steps down */
	ensemble_series_close(&s, &f);
	OK(f.ensembles == 4 && f.min == 40, "minima");
	OK(f.spurious == 2 && f.drops == 1,
	   "a fall by one quantum is spurious, but no drop");
	OK(f.max_deviation == 100, "absolute max deviation");
	OK(f.total_variance_milli == 626000, "total variance 626");
	/* (4^2 + 2500^2) / 4 - 626^2 */
	OK(f.var_of_variances_micro == (wide)1170628 * 1000000,
	   "variance of variances");
	OK(f.var_of_minima_milli == 20000, "variance of minima 20");
	OK(!f.broken, "nothing is broken");

	add_ensemble(&s, NULL, 0);
	ensemble_series_close(&s, &f);
	OK(f.broken, "an empty ensemble is told");
}

TEST(test_bound)
{
	OK(ensemble_bound(50, 2000000000) == 300, "twice the minimum + 100 ns");
	/* The paper's machine, taken as 2.67 GHz, by RDTSCP, CR0 and CPUID. */
	OK(ensemble_bound(44, 2670000000) >= 44 + 104 &&
		   ensemble_bound(208, 2670000000) >= 208 + 220 &&
		   ensemble_bound(452, 2670000000) >= 452 + 636,
	   "nothing of the paper's is cut off");
}

TEST(test_resolution)
{
	struct ensemble_resolution r;
	uint64_t minima[1000], scratch[1000];

	/* The paper's log: 44 six times, 48 five times, then four cycles more
	 * for every two instructions. */
	for (uint64_t j = 0; j < 1000; j++)
		minima[j] = j < 6 ? 44 : j < 11 ? 48 : 52 + (j - 11) / 2 * 4;
	ensemble_resolve(&r, minima, 1000, scratch);
	OK(r.instructions == 2 && r.ticks == 4,
	   "the paper's resolution: 4 cycles for two instructions");
	for (uint64_t j = 0; j < 100; j++)
		minima[j] = 44;
	ensemble_resolve(&r, minima, 100, scratch);
	OK(r.instructions == 0 && r.ticks == 0,
	   "minima that do not grow have no resolution");
	for (uint64_t j = 0; j < 100; j++)
		minima[j] = 50 + j;
	ensemble_resolve(&r, minima, 100, scratch);
	OK(r.instructions == 1 && r.ticks == 1, "one tick for one instruction");
	ensemble_resolve(&r, minima, 0, scratch);
	OK(r.instructions == 0, "no ensemble, no resolution");
}

/* A clock that advances by 22.5 ticks of 2.25 GHz, on a core of 2.6 GHz. */
TEST(test_coarse_clock)
{
	const uint64_t step = ensemble_step(23, 2600000000, 2250000000);
	const size_t enough = ENSEMBLE_STEPS * step;
	struct ensemble_resolution r;
	uint64_t minima[1000], scratch[1000];

	OK(step == 27, "stores that take one step, rounded up");
	OK(ensemble_step(2, 1500000000, 2000000000) == 2 &&
		   ensemble_step(2, 2000000000, 2000000000) == 2 &&
		   ensemble_step(1000000000, 5000000000, 1) ==
			   5000000000000000000,
	   "of a fine clock two, and sums of 128 bits");
	/* A store takes a cycle, the clock stands still for 26 of them. */
	for (uint64_t j = 0; j < enough; j++)
		minima[j] = 67 + j / 26 * 45 / 2;
	ensemble_resolve(&r, minima, 40, scratch);
	OK(r.instructions == 0, "40 ensembles cannot tell one step of it");
	ensemble_resolve(&r, minima, enough, scratch);
	OK(r.instructions >= 23 && r.instructions <= 26 && r.ticks >= 22 &&
		   r.ticks <= 23,
	   "so many as ask for four can: one step of the clock");
}

#define PAPER(least, variance, of_variances, of_minima)                 \
	{                                                               \
		.ensembles = 1000, .min = least,                        \
		.total_variance_milli = (wide)(variance)*1000,          \
		.var_of_variances_micro = (wide)(of_variances)*1000000, \
		.var_of_minima_milli = (wide)(of_minima)*1000,          \
	}

/* Figures that the paper printed of its methods. */
static const struct ensemble_figures good = PAPER(44, 2, 0, 0),
				     cr0 = PAPER(208, 3, 0, 0),
				     bad = PAPER(452, 48, 2306, 118),
				     rough = PAPER(44, 30000, 0, 0);

TEST(test_verdicts)
{
	struct ensemble_figures falls = good, broken = good;
	const struct {
		const struct ensemble_figures *f, *of;
		uint64_t seen_pct;
		unsigned int want;
		const char *what;
	} t[] = {
		{ &good, &good, 97, 0, "the paper's RDTSCP is accepted" },
		{ &cr0, &good, 97, 0, "and its CR0" },
		{ &bad, &good, 97,
		  ENSEMBLE_MINIMUM_MOVES | ENSEMBLE_VARIANCE_MOVES,
		  "its CPUID/CPUID is rejected on its two grounds" },
		{ &good, &good, 56, ENSEMBLE_CUTS_SHORT, "a fence left out" },
		{ &good, &good, 100 * (500 + 452) / 500, ENSEMBLE_READS_LONG,
		  "an overhead not subtracted" },
		{ &good, &falls, 97, ENSEMBLE_NOT_MONOTONIC, "minima fall" },
		{ &broken, &good, 97, ENSEMBLE_BROKEN, "figures overflowed" },
		{ &rough, &good, 97, ENSEMBLE_TOO_COARSE,
		  "an error of 173 cycles is too coarse for a system call" },
	};

	falls.drops = 251;
	broken.broken = true;
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		const struct ensemble_clock clock = { 4, 2670000000,
						      t[i].seen_pct };

		OK(ensemble_judge(t[i].f, t[i].of, &clock) == t[i].want,
		   t[i].what);
	}
	OK(ensemble_shortest(bad.total_variance_milli, 20) == 139,
	   "5 % of error: 139 cycles, as in the paper");
	OK(ensemble_shortest(bad.total_variance_milli, 100) == 693,
	   "1 %: 693 (the paper rounds the deviation first and says 690)");
	OK(strstr(ensemble_why(ENSEMBLE_CUTS_SHORT | ENSEMBLE_MINIMUM_MOVES),
		  "minimum"),
	   "a minimum that moves is named before a chain cut short");
	OK(ensemble_verdict(0) == ENSEMBLE_ACCEPTED &&
		   ensemble_verdict(ENSEMBLE_VARIANCE_MOVES) ==
			   ENSEMBLE_CONDITIONAL &&
		   ensemble_verdict(ENSEMBLE_VARIANCE_MOVES |
				    ENSEMBLE_CUTS_SHORT) == ENSEMBLE_REJECTED,
	   "a variance that moves alone is a condition, no rejection");
}
