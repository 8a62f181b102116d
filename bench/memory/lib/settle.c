/* SPDX-License-Identifier: MIT */
#include "settle.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "mem_buffer.h"
#include "sample.h"

#define MOST_S	   1 /* of warming up, at --effort 100: METHOD, step 4 */
#define MAX_PASSES ((uint64_t)1 << 20) /* in one batch */

struct job {
	struct bench *b;
	settle_fn *fn;
	void *arg;
	uint64_t passes;
};

static int batch(void *arg, uint64_t passes, uint64_t *ticks)
{
	struct job *j = arg;

	if (bench_stopping(j->b))
		return -EINTR;
	TIMER_INTERVAL(bench_timer(j->b)->method, *ticks,
		       j->fn(j->arg, passes));
	j->passes += passes;
	return 0;
}

bool settle_fits(const struct bench *b, size_t bytes)
{
	return 2 * bytes < mem_beyond_caches(b);
}

static struct sample_clock clock_of(const struct timer *t)
{
	return (struct sample_clock) { .quantum_ticks = t->quantum_ticks,
				       .overhead_ticks = t->overhead_ticks,
				       .hz = t->hz };
}

double settle(struct bench *b, const struct bench_case *c, settle_fn *fn,
	      void *arg)
{
	const struct sample_clock clock = clock_of(bench_timer(b));
	struct job job = { .b = b, .fn = fn, .arg = arg };
	struct sample_settled settled;
	uint64_t passes;
	double cold;

	if (sample_pilot(batch, &job, &clock, MAX_PASSES, &passes, &cold) ||
	    sample_settle(batch, &job, passes,
			  MOST_S * clock.hz * bench_effort(b), &settled))
		return NAN;
	bench_fact(b, c, "passes", (double)job.passes);
	if (settled.still_falling)
		bench_fact_text(b, c, "still_falling",
				"passes still got faster when the time for "
				"warming up was over");
	return bench_ns(b, settled.best_ticks) / (double)passes;
}

static void follow(void *arg, uint64_t passes)
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

/* What a load takes that comes back to a line after one pass. */
static void time_after_one(struct bench *b, const struct bench_case *c,
			   const struct chase *chase)
{
	const struct sample_clock clock = clock_of(bench_timer(b));
	const uint64_t rounds = chase->lines / CHASE_ENTRIES / CHASE_UNROLL;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       chase_run(chase->entry[0], rounds));
	if (rounds && (double)ticks >= sample_batch_ticks(&clock))
		bench_fact(b, c, "after_one_pass_ns",
			   bench_ns(b, (double)ticks) /
				   (double)(rounds * CHASE_UNROLL));
}

void settle_chase(struct bench *b, const struct bench_case *c,
		  struct chase *chase, bool round)
{
	follow(chase, 1);
	time_after_one(b, c, chase);
	settle(b, c, follow, chase);
	if (round)
		chase->at =
			chase_run(chase->at, chase->lines / CHASE_UNROLL + 1);
}

int settle_run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct chase *chase = state;

	chase->at = chase_run(chase->at, iters);
	return 0;
}

int settle_leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct chase *chase = state;

	if (chase->at)
		bench_proof(b, c, "lines_visited", (double)chase->lines,
			    (double)chase_verify(chase));
	return 0;
}
