/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>

#include "arch.h"

#define CALIBRATE_TRIES 30
#define ADD_ROUNDS	40 /* 20480 adds or 7168 muls, of 3 cycles mostly: */
#define MUL_ROUNDS	14 /* 5 to 10 us */

#define NOW_TRIES	3
#define NOW_ROUNDS	4   /* 6144 cycles, mostly: 2 to 3 us */
#define NOW_QUANTA	200 /* that many make an error of 0.5 % */
#define MOST_NOW_ROUNDS 200 /* 0.1 ms; a coarser clock cannot tell */

#define SHARE_TRIES  3
#define SHARE_ROUNDS 512  /* 32768 additions: 6600 cycles and more */
#define SHARE_CHAIN  12	  /* 6144 cycles */
#define SHARE_SANE   16.0 /* no core does so many in a cycle */

__attribute__((noinline)) void reference_adds(uint64_t rounds)
{
	uint64_t sum = 0, one = 1;

	if (!rounds)
		return;
	__asm__ volatile("1:\n\t"
			 ".rept 512\n\t" ARCH_ADD(
				 "%0", "%2") ".endr\n\t" ARCH_AGAIN("%1", "1b")
			 : "+r"(sum), "+r"(rounds)
			 : "r"(one)
			 : "cc");
}

__attribute__((noinline)) void reference_muls(uint64_t rounds)
{
	uint64_t product = 3, three = 3;

	if (!rounds)
		return;
	__asm__ volatile("1:\n\t"
			 ".rept 512\n\t" ARCH_MUL(
				 "%0", "%2") ".endr\n\t" ARCH_AGAIN("%1", "1b")
			 : "+r"(product), "+r"(rounds)
			 : "r"(three)
			 : "cc");
}

/* *@least becomes what @chain takes once more, if that is less. */
static void time_chain(enum timer_method method, void (*chain)(uint64_t),
		       uint64_t rounds, uint64_t *least)
{
	uint64_t ticks;

	TIMER_INTERVAL(method, ticks, chain(rounds));
	if (ticks < *least)
		*least = ticks;
}

/* Ticks of one link of a chain: least of 2n less least of n. */
static double link_ticks(enum timer_method method, void (*chain)(uint64_t),
			 uint64_t rounds)
{
	uint64_t best1 = UINT64_MAX, best2 = UINT64_MAX;

	for (unsigned int i = 0; i < CALIBRATE_TRIES; i++) {
		time_chain(method, chain, rounds, &best1);
		time_chain(method, chain, 2 * rounds, &best2);
	}
	return best2 > best1 ? (double)(best2 - best1) /
				       (double)(rounds * REFERENCE_LINKS)
			     : 0;
}

double reference_multiply_cycles(double add, double mul)
{
	double whole;

	if (!(add > 0) || !(mul > 0))
		return 0;
	whole = round(mul / add);
	return whole < 1 || fabs(mul / add - whole) > 0.2 ? mul / add : whole;
}

/* How to read the clock for the chain's sake: @t's method may be one that
 * does not wait, or takes long (CPUID). */
static enum timer_method plain_method(const struct timer *t)
{
	return t->method == TIMER_CLOCK ? t->method
					: timer_waiting(&t->features);
}

void reference_calibrate(struct timer *t)
{
	const double add = link_ticks(t->method, reference_adds, ADD_ROUNDS);
	const double mul = link_ticks(t->method, reference_muls, MUL_ROUNDS);
	uint64_t least = UINT64_MAX;

	t->multiply_cycles = reference_multiply_cycles(add, mul);
	t->core_hz =
		t->multiply_cycles > 0 ? t->hz * t->multiply_cycles / mul : 0;
	t->now_rounds = 0;
	if (!(t->core_hz > 0))
		return;
	for (int i = 0; i < 50; i++) {
		const uint64_t ticks = timer_empty(plain_method(t));

		least = ticks < least ? ticks : least;
	}
	t->now_offset_ticks = (double)least;
	t->now_rounds =
		(unsigned int)fmin(MOST_NOW_ROUNDS + 1,
				   fmax(NOW_ROUNDS,
					ceil(NOW_QUANTA * t->quantum_ticks /
					     (REFERENCE_LINKS * mul))));
	if (t->now_rounds > MOST_NOW_ROUNDS)
		t->now_rounds = 0;
}

double reference_rate(const struct timer *t, uint64_t ticks)
{
	const double ran = (double)ticks - t->now_offset_ticks;

	return ran > 0 ? t->hz * t->now_rounds * REFERENCE_LINKS *
				 t->multiply_cycles / ran
		       : 0;
}

double reference_hz(const struct timer *t)
{
	uint64_t least = UINT64_MAX;

	if (!t->now_rounds)
		return 0;
	reference_muls(1); /* its code may have left the caches */
	for (int i = 0; i < NOW_TRIES; i++)
		time_chain(plain_method(t), reference_muls, t->now_rounds,
			   &least);
	return reference_rate(t, least);
}

/* Eight chains, more than there are units. */
__attribute__((noinline)) uint64_t reference_independent(uint64_t rounds)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
	const uint64_t one = 1;

	__asm__ volatile(
		"1:\n\t"
		".rept 8\n\t" ARCH_ADD("%0", "%9") ARCH_ADD("%1", "%9")
			ARCH_ADD("%2", "%9") ARCH_ADD("%3", "%9") ARCH_ADD(
				"%4", "%9") ARCH_ADD("%5", "%9") ARCH_ADD("%6",
									  "%9")
				ARCH_ADD("%7",
					 "%9") ".endr\n\t" ARCH_AGAIN("%8",
								      "1b")
		: "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
		  "+r"(h), "+r"(rounds)
		: "r"(one)
		: "cc");
	return a + b + c + d + e + f + g + h;
}

double reference_share(const struct timer *t)
{
	const enum timer_method method = plain_method(t);
	uint64_t adds = UINT64_MAX, chain = UINT64_MAX, ticks;
	double rate;

	for (int i = 0; i < SHARE_TRIES; i++) {
		time_chain(method, reference_adds, SHARE_CHAIN, &chain);
		TIMER_INTERVAL(method, ticks,
			       reference_independent(SHARE_ROUNDS));
		if (ticks < adds)
			adds = ticks;
	}
	if (!adds || !chain)
		return NAN;
	rate = (double)chain / (SHARE_CHAIN * REFERENCE_LINKS) *
	       (SHARE_ROUNDS * REFERENCE_INDEPENDENT) / (double)adds;
	return rate > 0.1 && rate < SHARE_SANE ? rate : NAN;
}
