/* SPDX-License-Identifier: MIT */
/*
 * loop - what does an empty counted loop cost, each time round and as a whole?
 *
 * Whoever times an operation in a loop must know what the loop adds.  Two
 * forms, both in assembler so that every compiler gives the same machine code:
 * form=memory is what gcc makes of `for (i = 0; i < n; i++);` at -O0, with the
 * counter in memory (addl, mov, cmp, jle), as in the CSE 221 report;
 * form=register is the same with the counter in a register (addl, cmp, jle).
 *
 * iterations=each is the cost of one time round in a long loop.  The rows
 * iterations=0 ... 50 are the cost of a whole loop of that many: its start,
 * its passes and its end, alone in the pipeline.  The report times each such
 * loop once and takes the clock's overhead off; where the clock advances in
 * steps of 10 ns that gives 0 for a short loop.  So here the loop is repeated
 * behind an LFENCE, which lets it start only when all before it is done, and
 * the cost of the LFENCE alone is subtracted.
 *
 * instance=single times such a loop once, between the timer's fences, as the
 * report does: where the clock's steps are longer it is too small to measure.
 *
 * On processors that forward a store to a load by renaming (Intel since Alder
 * Lake and Sapphire Rapids, AMD Zen 2), an iteration in memory takes either
 * about two cycles or about six, and changes from one to the other by itself:
 * hence its wide intervals, and a curve that is not smooth.  In both forms the
 * jump that ends a short loop may be predicted wrongly, in one build always
 * for the same numbers of iterations: such a loop stands 12 cycles or more
 * above its neighbours.
 *
 * Measures: ns for one iteration (each), or for one loop (0 ... 50).
 * Includes: in the curve, what overlaps of the loop's start and end with the
 *	     fence is not seen: a loop of 0 may be too small to measure.
 * After:    CSE 221 report, section 3.2 (18 cycles an iteration at -O0, which
 *	     holds the single shot's fences too); comparable in its slope.
 * Needs:    nothing.
 */
#include <errno.h>
#include <limits.h>

#include "arch.h"
#include "bench.h"
#include "timer.h"

struct loop_state {
	uint64_t asked, passes; /* of the inner loop, since the last check */
};

/* The counter is an int, as in the report. */
#define FORM(form)                                                             \
	static int run_each_##form(struct bench *b, void *state,               \
				   const struct bench_case *c, uint64_t iters) \
	{                                                                      \
		struct loop_state *s = state;                                  \
                                                                               \
		if (iters > INT_MAX)                                           \
			return bench_fail(b, ERANGE, "%llu iterations",        \
					  (unsigned long long)iters);          \
		s->asked += iters;                                             \
		s->passes += (uint64_t)arch_loop_##form((int)iters);           \
		return 0;                                                      \
	}                                                                      \
                                                                               \
	static int run_curve_##form(struct bench *b, void *state,              \
				    const struct bench_case *c,                \
				    uint64_t iters)                            \
	{                                                                      \
		struct loop_state *s = state;                                  \
		int n = (int)c->index;                                         \
		uint64_t passes = 0;                                           \
                                                                               \
		BENCH_HIDE(n);                                                 \
		for (uint64_t i = 0; i < iters; i++) {                         \
			ARCH_FENCE();                                          \
			passes += (uint64_t)arch_loop_##form(n);               \
		}                                                              \
		s->asked += iters * (uint64_t)c->index;                        \
		s->passes += passes;                                           \
		return 0;                                                      \
	}                                                                      \
                                                                               \
	static int sample_once_##form(struct bench *b, void *state,            \
				      const struct bench_case *c)              \
	{                                                                      \
		struct loop_state *s = state;                                  \
		int n = (int)c->index, passes;                                 \
		uint64_t ticks;                                                \
                                                                               \
		BENCH_HIDE(n);                                                 \
		TIMER_INTERVAL(bench_timer(b)->method, ticks,                  \
			       passes = arch_loop_##form(n));                  \
		bench_record(b, c, ticks);                                     \
		s->asked += (uint64_t)c->index;                                \
		s->passes += (uint64_t)passes;                                 \
		return 0;                                                      \
	}

FORM(memory)
FORM(register)

/* Subtracted from the curve: the same without the inner loop. */
static int run_fence(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct loop_state *s = state;
	int n = (int)c->index;
	uint64_t passes = 0;

	BENCH_HIDE(n);
	for (uint64_t i = 0; i < iters; i++) {
		ARCH_FENCE();
		passes += (uint64_t)n;
		BENCH_HIDE(passes);
	}
	s->asked += iters * (uint64_t)c->index;
	s->passes += passes;
	return 0;
}

/* A loop that stopped early or went on too long left another counter. */
static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct loop_state *s = state;

	bench_proof(b, c, "passes", (double)s->asked, (double)s->passes);
	s->asked = s->passes = 0;
}

static const struct form {
	const char *name;
	bench_run_fn *each, *curve;
	bench_case_fn *once;
} forms[] = {
	{ "memory", run_each_memory, run_curve_memory, sample_once_memory },
	{ "register", run_each_register, run_curve_register,
	  sample_once_register },
};

#define POINTS(form)                             \
	"form=" form " iterations={each,0..50};" \
	"is cycles if iterations=each;"          \
	"form=" form " instance=single iterations=0..50/10;"

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct form *f = CASE_OF(c, "form", forms);

	if (case_is(c, "iterations", "each")) {
		c->run = f->each;
		return true;
	}
	c->index = case_int(c, "iterations");
	if (case_has(c, "instance")) {
		c->sample = f->once;
	} else {
		c->run = f->curve;
		c->baseline = run_fence;
	}
	return true;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct loop_state),
	.points =
		POINTS("memory") POINTS("register"), /* 50: as in the report */
	.point = point,
	.conclude = conclude,
};
