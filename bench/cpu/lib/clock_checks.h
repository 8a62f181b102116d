/* SPDX-License-Identifier: MIT */
#ifndef CLOCK_CHECKS_H
#define CLOCK_CHECKS_H

#include "bench.h"
#include "ensemble.h"

/* Can the time-stamp counter be trusted as a clock?  The cases check=... of
 * certify; all read the TSC with LFENCE around it. */
struct clock_checked {
	struct timer_instant start; /* of the program: drift looks back to it */
	/* How much of a chain @method sees, percent. */
	uint64_t (*seen_pct)(enum timer_method method, uint64_t quantum);
};

struct clock_check {
	const char *name, *unit;
	enum bench_better better;
	/* Do it, derive the value of @c, and add what the results lose if it
	 * fails as the fact "verdict". */
	void (*run)(struct bench *b, const struct bench_case *c,
		    const struct clock_checked *with);
};

#define CLOCK_CHECKS 6
extern const struct clock_check clock_checks[CLOCK_CHECKS];

/* clock_of() - step (rounded up) and rate of the TSC; seen_pct is 0. */
struct ensemble_clock clock_of(const struct bench *b);

#endif
