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

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	/* All lengths of numbers, not only long ones. */
	return random_state >> (random_state & 63);
}

TEST(test_wide)
{
	char text[WIDE_TEXT];
	bool divide = true;

	for (int i = 0; i < 100000; i++) {
		const wide a = (wide)next_random() << 64 | next_random();
		const uint64_t d = next_random() | 1;
		wide q = a;

		divide &= wide_div(&q, d) == a % d && q == a / d;
	}
	OK(divide, "wide_div agrees with the compiler's division");
	OK_STR(wide_print(text, 12500, 3), "12.500", "a fraction is printed");
	OK_STR(wide_print(text, 7, 3), "0.007",
	       "zeros after the point are printed");
	OK_STR(wide_print(text, 0, 0), "0", "zero is printed");
	OK_STR(wide_print(text, (wide)1 << 64, 0), "18446744073709551616",
	       "2^64 is printed");
	OK_STR(wide_print(text, ~(wide)0, 6),
	       "340282366920938463463374607431768.211455",
	       "2^128 - 1 is printed");
}

static uint64_t variance_milli(const uint64_t *x, size_t n, bool *overflow)
{
	struct ensemble e;

	ensemble_start(&e);
	for (size_t i = 0; i < n; i++)
		ensemble_add(&e, x[i]);
	const wide v = ensemble_variance(&e, ENSEMBLE_MILLI);

	*overflow = e.overflow || v >> 64;
	return (uint64_t)v;
}

TEST(test_variance)
{
	bool over, same = true;
	uint64_t x[50];

	OK(variance_milli((uint64_t[]) { 1, 2, 3, 4 }, 4, &over) == 1250,
	   "variance of 1 2 3 4 is 1.25");
	OK(variance_milli((uint64_t[]) { 44, 44, 44 }, 3, &over) == 0,
	   "variance of a constant is 0");
	OK(variance_milli((uint64_t[]) { 0, 0, 1 }, 3, &over) == 222,
	   "variance of 0 0 1 is 2/9, rounded down");
	x[0] = 1ull << 60;
	x[1] = x[0] + 1;
	OK(variance_milli(x, 2, &over) == 250 && !over,
	   "two neighbours near 2^60 vary by 0.25");
	x[0] = x[1] = UINT64_MAX;
	variance_milli(x, 2, &over);
	OK(over, "squares over 128 bits raise the flag");

	for (int i = 0; i < 2000; i++) {
		const size_t n = 1 + next_random() % 50;
		wide sum = 0, squares = 0;

		for (size_t k = 0; k < n; k++) {
			x[k] = next_random() >> 16;
			sum += x[k];
			squares += (wide)x[k] * x[k];
		}
		const wide top = squares * n - sum * sum;
		const uint64_t scale = top >> 110 ? 1 : ENSEMBLE_MILLI;
		struct ensemble e;

		ensemble_start(&e);
		for (size_t k = 0; k < n; k++)
			ensemble_add(&e, x[k]);
		same &= ensemble_variance(&e, (uint32_t)scale) ==
			top * scale / ((wide)n * n);
	}
	OK(same, "variances agree with __int128");
}

/*
 * The paper's routine (appendix, lines 73 to 97), as printed but for the
 * message, which sets a flag here.
 */
static bool paper_noticed;

static uint64_t paper_var_calc(const uint64_t *inputs, int size)
{
	int i;
	uint64_t acc = 0, previous = 0, temp_var = 0;

	for (i = 0; i < size; i++) {
		if (acc < previous)
			goto overflow;
		previous = acc;
		acc += inputs[i];
	}
	acc = acc * acc;
	if (acc < previous)
		goto overflow;
	previous = 0;
	for (i = 0; i < size; i++) {
		if (temp_var < previous)
			goto overflow;
		previous = temp_var;
		temp_var += (inputs[i] * inputs[i]);
	}
	temp_var = temp_var * (uint64_t)size;
	if (temp_var < previous)
		goto overflow;
	temp_var = (temp_var - acc) / (((uint64_t)(size)) * ((uint64_t)(size)));
	return temp_var;
overflow:
	paper_noticed = true;
	return (uint64_t)-22; /* -EINVAL */
}

TEST(test_paper_overflow)
{
	const int n = 100000; /* the paper's SIZE_OF_STAT */
	uint64_t *x = calloc((size_t)n, sizeof(*x));
	bool over;

	/* Half at 452, half at 456: its own first method. */
	for (int i = 0; x && i < n; i++)
		x[i] = i % 2 ? 456 : 452;
	OK(x && paper_var_calc(x, n) == 4 && !paper_noticed,
	   "the paper's variance is right for 452 and 456 ticks");
	OK(x && variance_milli(x, (size_t)n, &over) == 4000 && !over,
	   "and so is ours");

	/* One sample in 500 was hit by an interrupt of 4 million ticks: the
	 * true variance is 4e6^2 * (1/500) * (499/500). */
	for (int i = 0; x && i < n; i++)
		x[i] = i % 500 ? 0 : 4000000;
	const uint64_t want = 31936000000ull;
	uint64_t paper = x ? paper_var_calc(x, n) : want;

	OK(paper != want && !paper_noticed,
	   "the paper's variance overflows silently");
	printf("# true %llu, the paper's routine %llu, without a word\n",
	       (unsigned long long)want, (unsigned long long)paper);
	OK(x && variance_milli(x, (size_t)n, &over) == want * 1000 && !over,
	   "ours does not");
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
	OK(f.ensembles == 4 && f.min == 40 && f.max_min == 52, "minima");
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
	/* The paper's machine, taken as 2.67 GHz: nothing is cut off. */
	OK(ensemble_bound(44, 2670000000) >= 44 + 104, "RDTSCP's 104 are kept");
	OK(ensemble_bound(208, 2670000000) >= 208 + 220, "CR0's 220 are kept");
	OK(ensemble_bound(452, 2670000000) >= 452 + 636,
	   "CPUID's 636 are kept");
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
	OK(r.first == 6 && r.instructions == 2 && r.ticks == 4,
	   "the paper's resolution: 4 cycles for two instructions");
	for (uint64_t j = 0; j < 100; j++)
		minima[j] = 44;
	ensemble_resolve(&r, minima, 100, scratch);
	OK(r.first == 0 && r.instructions == 0 && r.ticks == 0,
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

/* What the paper printed of a method. */
static struct ensemble_figures paper(uint64_t min, uint64_t variance,
				     uint64_t of_variances, uint64_t of_minima)
{
	return (struct ensemble_figures) {
		.ensembles = 1000,
		.min = min,
		.max_min = min,
		.total_variance_milli = (wide)variance * 1000,
		.var_of_variances_micro = (wide)of_variances * 1000000,
		.var_of_minima_milli = (wide)of_minima * 1000,
	};
}

TEST(test_verdicts)
{
	const struct ensemble_figures good = paper(44, 2, 0, 0);
	const struct ensemble_figures cr0 = paper(208, 3, 0, 0);
	const struct ensemble_figures bad = paper(452, 48, 2306, 118);
	const struct ensemble_clock clock = { 4, 2670000000, 97 };
	struct ensemble_clock other = clock;
	struct ensemble_figures f = good;

	OK(ensemble_judge(&good, &good, &clock) == 0 &&
		   ensemble_judge(&cr0, &good, &clock) == 0,
	   "the paper's RDTSCP and CR0 figures are accepted");
	OK(ensemble_judge(&bad, &good, &clock) ==
		   (ENSEMBLE_MINIMUM_MOVES | ENSEMBLE_VARIANCE_MOVES),
	   "its CPUID/CPUID figures are rejected on its two grounds");
	OK(ensemble_shortest(bad.total_variance_milli, 20) == 139,
	   "5 % of error: 139 cycles, as in the paper");
	OK(ensemble_shortest(bad.total_variance_milli, 100) == 693,
	   "1 %: 693 (the paper rounds the deviation first and says 690)");

	other.seen_pct = 56;
	OK(ensemble_judge(&good, &good, &other) == ENSEMBLE_CUTS_SHORT,
	   "a fence left out is caught");
	other.seen_pct = 100 * (500 + 452) / 500;
	OK(ensemble_judge(&good, &good, &other) == ENSEMBLE_READS_LONG,
	   "an overhead not subtracted is caught");
	f.drops = 251;
	OK(ensemble_judge(&good, &f, &clock) == ENSEMBLE_NOT_MONOTONIC,
	   "minima that fall are caught");
	f = good;
	f.broken = true;
	OK(ensemble_judge(&f, &good, &clock) == ENSEMBLE_BROKEN,
	   "figures that overflowed are no figures");
	f = paper(44, 30000, 0, 0);
	OK(ensemble_judge(&f, &good, &clock) == ENSEMBLE_TOO_COARSE,
	   "an error of 173 cycles is too coarse for a system call");
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
