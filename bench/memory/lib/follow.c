/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include <string.h>

#include "settle.h"

static void pass(void *arg, uint64_t passes)
{
	const struct chase *chase = arg;

	while (passes--) {
		void *at[CHASE_ENTRIES];

		if (chase->entry[1] == chase->entry[0]) {
			chase_run(chase->entry[0],
				  chase->lines / CHASE_UNROLL + 1);
			continue;
		}
		memcpy(at, chase->entry, sizeof(at));
		chase_run_many(at, CHASE_ENTRIES,
			       chase->lines / CHASE_ENTRIES + 1);
	}
}

uint64_t follow_time(const struct bench *b, struct chase *chase,
		     uint64_t rounds)
{
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       chase->at = chase_run(chase->at, rounds));
	return ticks;
}

/* What a load takes that comes back to a line after one pass. */
static void time_after_one(struct bench *b, const struct bench_case *c,
			   struct chase chase)
{
	const uint64_t rounds = chase.lines / CHASE_ENTRIES / CHASE_UNROLL;
	const uint64_t ticks = follow_time(b, &chase, rounds);

	if (rounds && settle_is_long(b, ticks))
		bench_fact(b, c, "after_one_pass_ns",
			   bench_ns(b, (double)ticks) /
				   (double)(rounds * CHASE_UNROLL));
}

void follow_settle(struct bench *b, const struct bench_case *c,
		   struct chase *chase, bool round)
{
	pass(chase, 1);
	time_after_one(b, c, *chase);
	settle(b, c, pass, chase);
	if (round)
		chase->at =
			chase_run(chase->at, chase->lines / CHASE_UNROLL + 1);
}

int follow_run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct chase *chase = state;

	chase->at = chase_run(chase->at, iters);
	return 0;
}

int follow_leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct chase *chase = state;

	if (chase->at)
		bench_proof(b, c, "lines_visited", (double)chase->lines,
			    (double)chase_verify(chase));
	return 0;
}
