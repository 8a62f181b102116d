/* SPDX-License-Identifier: MIT */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "bench.h"
#include "chase.h"

/* What the programs that follow a chain share. */

/**
 * follow_settle() - warm up until the caches have taken in a chain (settle.h).
 * Sixteen places of it are followed at once: the caches fill in a tenth of the
 * time, in which others that share the last one take less of it back.  One more
 * fact, where that is long enough to be timed: "after_one_pass_ns", of a load
 * in the first sixteenth when all had been followed once.
 * @round: what the chain by itself cannot keep then, it loses in its next pass:
 * let it go round once before it is timed.
 */
void follow_settle(struct bench *b, const struct bench_case *c,
		   struct chase *chase, bool round);

/* follow_time() - ticks of @rounds of it. */
uint64_t follow_time(const struct bench *b, struct chase *chase,
		     uint64_t rounds);

/* A rule of their texts: what a round of chase_run() does. */
#define FOLLOW_OPS "is ops=" BENCH_TEXT(CHASE_UNROLL) ";"

/* Callbacks of programs whose state begins with their struct chase.
 * follow_run() - follow it.  follow_leave() - the proof that it is still the
 * one that was linked, and of all its lines. */
bench_run_fn follow_run;
bench_case_fn follow_leave;

#endif
