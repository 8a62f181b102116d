/* SPDX-License-Identifier: MIT */
#ifndef ENSEMBLE_H
#define ENSEMBLE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/*
 * The statistics with which the white paper accepts or rejects a timing
 * method, streaming: nothing is kept of a sample but three sums.
 *
 * One source for the programs and for the kernel module, so: integers only,
 * no division of 128 bits by the compiler (a kernel has no __udivti3), no
 * allocation, no output.  Sums have 128 bits; what would not
 * fit raises a flag.  The paper's var_calc() has 64 bits and wraps around
 * silently: at its own size, 100 000 samples, from 42 950 ticks a sample on
 * ((100 000 * 42 950)^2 > 2^64; tests/unit/test_ensemble.c shows it).
 *
 * Source: G. Paoloni, Intel white paper 324264-001, 2010, appendix, lines 73
 * to 175, and section 3.3 for the resolution.
 */

__extension__ typedef unsigned __int128 wide;

/* wide_div() - *@a /= @d.  @d: not 0.  Return: the remainder. */
uint64_t wide_div(wide *a, uint64_t d);

/* wide_print() - @a * 10^-@decimals as text, e.g. "12.500".
 * @text: WIDE_TEXT bytes; @decimals: at most 30.  Return: @text. */
#define WIDE_TEXT 48
char *wide_print(char *text, wide a, unsigned int decimals);

/* wide_u64() - the value, or UINT64_MAX if it is more. */
static inline uint64_t wide_u64(wide a)
{
	return a >> 64 ? (uint64_t)-1 : (uint64_t)a;
}

/* One ensemble: samples taken under the same conditions. */
struct ensemble {
	uint64_t n, min, max;
	wide sum, squares;
	bool overflow;
};

void ensemble_start(struct ensemble *e);
void ensemble_add(struct ensemble *e, uint64_t x);

/**
 * ensemble_variance() - floor(@scale * the variance of the samples), exact.
 *
 * The mean of the squared distances from the mean (divided by n, as the
 * paper's).  0 for no sample.  Sets @e->overflow if it does not fit.
 */
wide ensemble_variance(struct ensemble *e, uint32_t scale);

/* Variances are carried in thousandths, variances of them in millionths. */
#define ENSEMBLE_MILLI 1000

/* The paper's figures of one ensemble. */
struct ensemble_row {
	wide variance_milli;	/* ticks^2 / 1000 */
	uint64_t max_deviation; /* greatest - least, ticks */
	uint64_t min;
};

/* Ensembles one after the other, with the same body or with a growing one. */
struct ensemble_series {
	struct ensemble variances, minima;
	uint64_t max_deviation;
	uint64_t previous_min;
	uint64_t spurious; /* minima below the one before */
	uint64_t drops;	   /* of those, by more than @quantum */
	uint64_t quantum;
	bool broken; /* an ensemble without samples, or an overflow */
};

/* @quantum: step of the clock, ticks; at least 1. */
void ensemble_series_start(struct ensemble_series *s, uint64_t quantum);

/* ensemble_series_add() - close @e and add it; @row gets its line. */
void ensemble_series_add(struct ensemble_series *s, struct ensemble *e,
			 struct ensemble_row *row);

/* The lines that close the paper's log. */
struct ensemble_figures {
	uint64_t ensembles;
	uint64_t min; /* least of the minima, ticks */
	uint64_t spurious, drops;
	wide total_variance_milli; /* mean of the variances */
	uint64_t max_deviation;
	wide var_of_variances_micro; /* ticks^4 / 10^6 */
	wide var_of_minima_milli;
	bool broken;
};

void ensemble_series_close(struct ensemble_series *s,
			   struct ensemble_figures *f);

/**
 * ensemble_bound() - the longest sample that nothing from outside has hit.
 * @min: least sample of the same body, seen in a warm-up; ticks.
 * @tick_hz: of the TSC.
 *
 * 2 @min + 100 ns.  The paper turned interrupts, Hyper-Threading and every
 * power feature off, and its accepted methods then never went further from
 * their minimum than 104 to 220 cycles (40 to 80 ns) in 10^8 samples: on such
 * a machine this bound cuts nothing off.  The other @min leaves a method that
 * is long itself (CPUID under a hypervisor) the whole of its own length for
 * its own variation.  Figures of all samples stand beside the bounded ones.
 */
uint64_t ensemble_bound(uint64_t min, uint64_t tick_hz);

/* The paper's section 3.3. */
struct ensemble_resolution {
	uint64_t instructions; /* 0: no step that was tried raises them */
	uint64_t ticks;
};

/**
 * ensemble_resolve() - the step at which the minima grow.
 * @minima: of ensembles with bodies of 0, 1, 2 ... @n - 1 instructions.
 * @scratch: room for @n numbers.
 *
 * instructions: the least s for which s more instructions raise the minimum
 * in at least nine of ten places (the paper too sets its first, longer steps
 * aside); ticks: the median of those rises.  Steps of up to @n / 2 are tried.
 */
void ensemble_resolve(struct ensemble_resolution *r, const uint64_t *minima,
		      size_t n, uint64_t *scratch);

/**
 * ensemble_step() - stores that take as long as one step of the clock.
 * @quantum: that step, ticks; @tick_hz: ticks in a second, not 0.
 * @core_hz: cycles in a second, in each of which a core does one store of the
 * loop.
 *
 * Rounded up.  Fewer cannot raise a minimum in nine places of ten, unless the
 * clock or the core's frequency moves.
 */
uint64_t ensemble_step(uint64_t quantum, uint64_t core_hz, uint64_t tick_hz);

/* Steps of the clock that the growing loop should cover: it resolves one, two
 * are tried, and half of the series is left to judge by. */
#define ENSEMBLE_STEPS 4

/* Why a method is not accepted.  All but the last reject it. */
enum ensemble_fault {
	ENSEMBLE_BROKEN = 1 << 0,
	ENSEMBLE_CUTS_SHORT = 1 << 1,
	ENSEMBLE_READS_LONG = 1 << 2,
	ENSEMBLE_MINIMUM_MOVES = 1 << 3,
	ENSEMBLE_TOO_COARSE = 1 << 4,
	ENSEMBLE_NOT_MONOTONIC = 1 << 5,
	ENSEMBLE_VARIANCE_MOVES = 1 << 6,
};

enum ensemble_verdict {
	ENSEMBLE_REJECTED,
	ENSEMBLE_CONDITIONAL, /* for batches: a single sample has no error */
	ENSEMBLE_ACCEPTED,
};

/* The clock that the figures were taken with. */
struct ensemble_clock {
	uint64_t quantum;  /* step, ticks; at least 1 */
	uint64_t hz;	   /* ticks in a second */
	uint64_t seen_pct; /* of a long dependent chain, by this method */
};

/**
 * ensemble_judge() - the paper's acceptance test as rules.
 * @empty, @loop: figures of the empty body and of the growing loop.
 *
 * BROKEN: the figures are no figures (overflow, empty ensemble).
 * CUTS_SHORT: less than 80 % of a chain of dependent square roots lay inside
 * the interval.  The chain begins while the first read is still under way,
 * which takes 20 to 40 ticks of its 400 to 800; of a read at the end that does
 * not wait it sees nothing.
 * READS_LONG: more than 125 % of the chain, the offset being subtracted: the
 * offset is wrong, or was forgotten.
 * MINIMUM_MOVES: the standard deviation of the minima is over one quantum:
 * the offset to subtract is not known as well as the clock could tell it.
 * TOO_COARSE: code would have to take more than a microsecond to be measured
 * with an error of 5 %, which no system call does; the error taken is the
 * largest that the ensembles make likely, sqrt(total variance + 2 standard
 * deviations of the variances).
 * NOT_MONOTONIC: in the growing loop more than one minimum in four lies below
 * the one before by more than a quantum; without any order it would be half.
 * VARIANCE_MOVES: the standard deviation of the variances is over half of the
 * total variance (the paper rejects a method whose "standard error on the
 * variance is as big as the total variance itself"; at half of it the
 * standard deviation of a sample moves by a quarter) and over quantum^2 / 4,
 * the variance that a clock of that quantum has by itself.
 *
 * Return: OR of enum ensemble_fault; 0 means accepted.
 */
unsigned int ensemble_judge(const struct ensemble_figures *empty,
			    const struct ensemble_figures *loop,
			    const struct ensemble_clock *clock);

/* ensemble_verdict() - what @faults come to. */
enum ensemble_verdict ensemble_verdict(unsigned int faults);

/* ensemble_why() - what the first of @faults means, one clause; "" if 0. */
const char *ensemble_why(unsigned int faults);

/* ensemble_shortest() - the least ticks that can be measured with a standard
 * error of 1 / @parts: @parts * sqrt(@variance_milli / 1000), rounded up. */
uint64_t ensemble_shortest(wide variance_milli, uint32_t parts);

#endif
