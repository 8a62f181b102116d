/* SPDX-License-Identifier: MIT */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "bench.h"
#include "chase.h"
#include "mem_buffer.h"

/* Shared by the programs that follow a chain. */

/* A chain, in the buffer of its kind of pages. */
struct follow {
	struct chase chase; /* .at is NULL where there is none */
	struct mem_buffer buffer[MEM_KINDS];
};

struct follow_plan {
	chase_link_fn *link;
	size_t bytes, step; /* of it */
	size_t skew;	    /* where it begins in the buffer */
	enum mem_pages pages;
};

/* follow_link() - have memory as mem_have() does, and a chain in it.  Return:
 * 0, bench_fail() or bench_skip(). */
int follow_link(struct bench *b, struct follow *f,
		const struct follow_plan *plan, int node);

/**
 * follow_settle() - warm up until the caches have taken in a chain (settle()).
 * Sixteen places of it are followed at once: the caches fill in a tenth of the
 * time, in which others that share the last one take less of it back.  One more
 * fact, where that is long enough to be timed: "after_one_pass_ns", of a load
 * in the first sixteenth when all had been followed once.
 * @round: what the chain by itself cannot keep then, it loses in its next pass:
 * let it go round once before it is timed.
 */
void follow_settle(struct bench *b, const struct bench_case *c,
		   struct follow *f, bool round);

/* follow_time() - ticks of @rounds of it. */
uint64_t follow_time(const struct bench *b, struct chase *chase,
		     uint64_t rounds);

/* A rule of their texts: what a round of chase_run() does. */
#define FOLLOW_OPS "is ops=" BENCH_TEXT(CHASE_UNROLL) ";"

/* Callbacks of programs whose state begins with their struct follow.
 * follow_run() - follow it.  follow_leave() - the proof that it is still the
 * one that was linked, and of all its lines. */
bench_run_fn follow_run;
bench_leave_fn follow_leave;

#endif
