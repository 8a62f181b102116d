/* SPDX-License-Identifier: MIT */
/*
 * nop - does the harness measure nothing where there is nothing?
 *
 * Every other figure of this suite rests on two subtractions: the difference
 * of two batch sizes (and of a loop without the operation), and the overhead
 * of the clock taken off a single interval.  Here both are done to an empty
 * operation.  If more than one row in a few hundred is not "too small to
 * measure", do not trust the harness, or the machine.
 *
 * timing=batch runs one and the same loop as the operation and as its
 * baseline; timing=single times an interval with nothing in it.
 *
 * Measures: ns left of an empty operation, which must be too small to measure.
 * Includes: nothing: that is the point.
 * After:    the empty body of Paoloni's white paper (section 3.2.1), and the
 *	     article Testing Times, which takes the empty harness off its data.
 * Needs:    nothing.
 */
#include "bench.h"

struct nop_state {
	uint64_t asked, passes; /* of the loop, since the last check */
};

/* The operation and the baseline are this one function, so that not even its
 * address differs. */
static int run_empty(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct nop_state *s = state;
	uint64_t passes = 0;

	for (uint64_t i = 0; i < iters; i++) {
		passes++;
		BENCH_HIDE(passes);
	}
	s->asked += iters;
	s->passes += passes;
	return 0;
}

static int sample_empty(struct bench *b, void *state,
			const struct bench_case *c)
{
	struct nop_state *s = state;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks, (void)0);
	bench_record(b, c, ticks);
	s->asked++;
	s->passes += ticks < UINT64_MAX / 2; /* the clock did not go back */
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct nop_state *s = state;

	bench_proof(b, c, "passes", (double)s->asked, (double)s->passes);
	s->asked = s->passes = 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	if (case_is(c, "timing", "single"))
		c->sample = sample_empty;
	else
		c->run = c->baseline = run_empty;
	return true;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct nop_state),
	.points = "timing={batch,single}",
	.point = point,
	.conclude = conclude,
};
