/* SPDX-License-Identifier: MIT */
#include "core_share.h"

#include <math.h>

#define TRIES	     3
#define ADDS	     64	  /* in a round */
#define ADD_ROUNDS   512  /* 32768 additions: 6600 cycles and more */
#define CHAIN_ROUNDS 96	  /* 6144 cycles */
#define SANE	     16.0 /* no core does so many in a cycle */

/* Eight chains of additions, more than there are units; with a register
 * operand, for small constants are added while renaming, by no unit. */
static void independent_adds(void)
{
	uint64_t rounds = ADD_ROUNDS, one = 1;

	__asm__ volatile("1:\n\t"
			 ".rept 8\n\t"
			 "add %1, %%r8\n\t"
			 "add %1, %%r9\n\t"
			 "add %1, %%r10\n\t"
			 "add %1, %%r11\n\t"
			 "add %1, %%r12\n\t"
			 "add %1, %%r13\n\t"
			 "add %1, %%r14\n\t"
			 "add %1, %%r15\n\t"
			 ".endr\n\t"
			 "dec %0\n\t"
			 "jnz 1b"
			 : "+r"(rounds)
			 : "r"(one)
			 : "cc", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
			   "r15");
}

/* One cycle each, within 3 % even beside a busy thread. */
static void dependent_adds(void)
{
	uint64_t rounds = CHAIN_ROUNDS, sum = 0, one = 1;

	__asm__ volatile("1:\n\t"
			 ".rept 64\n\t"
			 "add %2, %0\n\t"
			 ".endr\n\t"
			 "dec %1\n\t"
			 "jnz 1b"
			 : "+r"(sum), "+r"(rounds)
			 : "r"(one)
			 : "cc");
}

double core_share_rate(const struct timer *t)
{
	/* CPUID would spend the time in the hypervisor; any order will do. */
	const enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_LFENCE;
	uint64_t adds = UINT64_MAX, chain = UINT64_MAX, ticks;
	double rate;

	for (int i = 0; i < TRIES; i++) {
		TIMER_INTERVAL(method, ticks, dependent_adds());
		if (ticks < chain)
			chain = ticks;
		TIMER_INTERVAL(method, ticks, independent_adds());
		if (ticks < adds)
			adds = ticks;
	}
	if (!adds || !chain)
		return NAN;
	rate = (double)chain / (CHAIN_ROUNDS * ADDS) * (ADD_ROUNDS * ADDS) /
	       (double)adds;
	return rate > 0.1 && rate < SANE ? rate : NAN;
}
