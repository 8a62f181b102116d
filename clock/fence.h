/* SPDX-License-Identifier: MIT */
#ifndef FENCE_H
#define FENCE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * fence_holds() - whether the end of an interval waits for what is in it.
 * @take: raw ticks of an interval around @n dependent chains (ensemble_body.h),
 *	  the @i-th in a row: it begins at another point of the clock's step
 *	  each time.
 * @step: of the clock, ticks; it may be longer than a chain.
 *
 * A fence that does not hold lets the clock be read before the chain is done.
 * One chain alone must take at least most of what a chain adds to a long run
 * of chains, where the ends do not count.  It is not made longer for a coarse
 * clock, for the end of a longer one would be held back by its beginning: it
 * is timed so often that its mean is known to a twentieth.
 */
bool fence_holds(uint64_t (*take)(void *ctx, uint32_t n, uint32_t i), void *ctx,
		 double step);

#endif
