/* SPDX-License-Identifier: MIT */
/* A copy counts each operation that its batches made. */
#include <sched.h>

#include "copies.h"
#include "tap.h"

#define EACH 16 /* operations in one round of the loop */

static double made; /* by all batches */

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	for (uint64_t i = 0; i < iters; i++)
		BENCH_KEEP(i);
	made += (double)iters * EACH;
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	made += EACH;
	bench_record(b, c, 1000);
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	c->sample = case_int(c, "x") == 2 ? sample : NULL;
	return true;
}

int main(void)
{
	static const struct bench_desc desc = { .state_size = 1,
						.points = "x={1,2}; is ops=16",
						.point = point,
						.run = run };
	static char pristine[CREW_LINE];
	int cpu = sched_getcpu();
	struct crew w = {
		.desc = &desc, .pristine = pristine, .cpu = &cpu, .n = 1
	};
	struct bench b = { .timer = { .method = TIMER_CLOCK,
				      .hz = 1e9,
				      .quantum_ticks = 1 },
			   .cpu = cpu,
			   .plan.effort = 100,
			   .plan.seed = 1,
			   .plan.guard_fd = -1 };
	const struct crew_share *s;
	uint64_t iters = 0;

	OK(!crew_start(&w, &b, &iters) && iters > 0, "a crew of one");
	made = 0;
	OK(!crew_window(&w, &b), "works");
	s = &w.page->of[0];
	OK(s->counted > 0 &&
		   s->ops == (double)s->counted * (double)iters * EACH &&
		   s->ops <= made,
	   "each operation of each batch is counted");
	crew_stop(&w);

	w.inner = 1;
	made = 0;
	iters = 0;
	OK(!crew_start(&w, &b, &iters) && !crew_window(&w, &b),
	   "events work, too");
	s = &w.page->of[0];
	OK(s->counted > 0 && s->ops == (double)s->counted * EACH &&
		   s->ops <= made && s->ns == (double)s->counted * 1000,
	   "each operation of each event is counted");
	crew_stop(&w);
	return tap_done();
}
