/* SPDX-License-Identifier: MIT */
#ifndef SETTLE_H
#define SETTLE_H

#include "bench.h"

/*
 * Warming up until the caches have taken in what a case touches.  One pass is
 * not enough: a victim cache takes lines in slowly (seen on a Zen 5 after other
 * data: chains of 4 MiB in L3 fell from 105 ns to 10 in ten passes, of 8 MiB in
 * twenty), and a case that is timed before is priced as memory.  To be called
 * in enter(), for each visit: the cases in between have taken the caches.
 */

/* Goes @passes times over all that the case touches. */
typedef void settle_fn(void *arg, uint64_t passes);

/**
 * settle() - pass after pass until they get no faster (sample_settle()), for a
 * second at most, less at a low effort.  Facts of @c: "passes", how many it
 * took, and "still_falling" if the time was not enough.
 *
 * Return: ns of the fastest pass; NAN if the user asked to stop.
 */
double settle(struct bench *b, const struct bench_case *c, settle_fn *fn,
	      void *arg);

#endif
