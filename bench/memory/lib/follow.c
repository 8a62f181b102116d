/* SPDX-License-Identifier: MIT */
#include "follow.h"

#include <string.h>

#include "sample.h"

int follow_link(struct bench *b, struct follow *f,
		const struct follow_plan *plan, int node)
{
	struct mem_buffer *m = &f->buffer[plan->pages];
	int err;

	f->chase.at = NULL;
	err = mem_have(b, m, plan->bytes, plan->pages, node);
	if (err)
		return err;
	err = plan->link(&f->chase, m->base + plan->skew, plan->bytes,
			 plan->step, bench_random(b));
	return err ? bench_fail(b, -err, "link the chain") : 0;
}

static void pass(void *arg, uint64_t passes)
{
	const struct chase *chase = arg;
	/* A chain with fewer lines than entries has one entry. */
	const size_t each = chase->entry[1] == chase->entry[0]
				    ? chase->lines
				    : chase->lines / CHASE_ENTRIES + 1;

	while (passes--) {
		void *at[CHASE_ENTRIES];

		memcpy(at, chase->entry, sizeof(at));
		chase_run_many(at, CHASE_ENTRIES, each);
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

void follow_settle(struct bench *b, const struct bench_case *c,
		   struct follow *f, bool round)
{
	struct chase *chase = &f->chase, again;
	const uint64_t rounds = chase->lines / CHASE_ENTRIES / CHASE_UNROLL;
	double ticks;

	pass(chase, 1);
	again = *chase;
	ticks = (double)follow_time(b, &again, rounds);
	if (rounds && ticks >= sample_batch_ticks(bench_timer(b)))
		bench_fact(b, c, "after_one_pass_ns",
			   bench_ns(b, ticks) /
				   (double)(rounds * CHASE_UNROLL));
	settle(b, c, pass, chase);
	if (round)
		chase->at =
			chase_run(chase->at, chase->lines / CHASE_UNROLL + 1);
}

int follow_run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct follow *f = state;

	f->chase.at = chase_run(f->chase.at, iters);
	return 0;
}

void follow_leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct follow *f = state;

	if (f->chase.at)
		bench_proof(b, c, "lines_visited", (double)f->chase.lines,
			    (double)chase_verify(&f->chase));
}
