/* SPDX-License-Identifier: MIT */
#ifndef GAPS_H
#define GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "timer.h"

/*
 * How much of the CPU's time others took.  Steal time alone does not tell
 * (METHOD 6): a spin on the clock sees every gap, whoever made it.
 */
struct gaps {
	uint64_t spun_ticks; /* how long the spins lasted in all */
	uint64_t lost_ticks; /* of which in gaps */
	uint64_t gaps;
	uint64_t longest_ticks;
};

/* Called with each gap, in ticks. */
typedef void gaps_fn(void *arg, uint64_t ticks);

/* gaps_least_ticks() - the least step of a clock of @hz that others made: 1
 * us, or ten reads of it.  Most are read in some 20 ns; one that is a device's
 * register (hpet, acpi_pm) takes 1 us by itself. */
double gaps_least_ticks(enum timer_method method, double hz);

/* gaps_add() - count a step of the clock; true if it is a gap: longer than
 * @least_ticks. */
bool gaps_add(struct gaps *g, uint64_t ticks, double least_ticks);

/**
 * gaps_spin() - spin on the clock for @us microseconds and add the gaps to @g.
 * @t: method and hz are used.
 * @seen: called after each gap, or NULL.  The step in which it ran is no gap
 *	  unless it took 20 us longer than the least one: no system call of
 *	  @seen does.
 */
void gaps_spin(struct gaps *g, const struct timer *t, unsigned int us,
	       gaps_fn *seen, void *arg);

#endif
