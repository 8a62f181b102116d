/* SPDX-License-Identifier: MIT */
#include "fence.h"

#include <math.h>

#define FENCE_ROUNDS 3
#define FENCE_TRIES  30
#define FENCE_MOST   2000
#define LEAST_TRIES  10

/*
 * Mean length of @n chains, ticks: a clock with long steps shows an interval as
 * a step more or a step less, by where it began, and its least is no estimate.
 * An interval two steps above the least was disturbed.
 */
static double chains_ticks(uint64_t (*take)(void *, uint32_t, uint32_t),
			   void *ctx, uint32_t n, double step,
			   unsigned int tries)
{
	uint64_t least = UINT64_MAX;
	double sum = 0;
	unsigned int counted = 0;

	for (unsigned int i = 0; i < LEAST_TRIES + tries; i++) {
		const uint64_t ticks = take(ctx, n, i);

		if (ticks < least)
			least = ticks;
		if (i < LEAST_TRIES || (double)ticks > (double)least + 2 * step)
			continue;
		sum += (double)ticks;
		counted++;
	}
	return counted ? sum / counted : (double)least;
}

bool fence_holds(uint64_t (*take)(void *ctx, uint32_t n, uint32_t i), void *ctx,
		 double step)
{
	double one = 0, slope = 0, tries = FENCE_TRIES;

	/* In turn, so that a change of the core's frequency hits all. */
	for (unsigned int i = 1; i <= FENCE_ROUNDS; i++) {
		slope += (chains_ticks(take, ctx, 24, step, FENCE_TRIES) -
			  chains_ticks(take, ctx, 8, step, FENCE_TRIES)) /
			 16;
		if (!(slope > 0))
			return false;
		if (i == 1)
			tries = pow(10 * step / slope, 2) / FENCE_ROUNDS;
		tries = fmin(FENCE_MOST, fmax(FENCE_TRIES, tries));
		one += chains_ticks(take, ctx, 1, step, (unsigned int)tries);
	}
	return one > 0.8 * slope;
}
