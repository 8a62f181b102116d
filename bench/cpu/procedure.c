/* SPDX-License-Identifier: MIT */
/*
 * procedure - what does a procedure call cost, by its number of arguments?
 *
 * A caller calls a procedure with 0 to 24 integer arguments, over and over.
 * The two are compiled apart, neither is inlined, the arguments differ, come
 * from memory and are all used: the procedure adds them up and the sum is
 * checked.  By the x86-64 calling convention the first six travel in registers
 * and the others over the stack.  via=direct is a call to a known address,
 * via=pointer one through a pointer in a register, via=plt one into a shared
 * object through the procedure linkage table (a call and an indirect jump).
 *
 * increment=register and increment=stack are the slopes of straight lines
 * fitted to 0 ... 6 and to 6 ... 24 arguments: ns for one argument more.  They
 * are only given where they are more than twice their own standard error.
 *
 * instance=single times each call alone, between fences, as the article Testing
 * Times does: nothing before it or behind it overlaps with it.
 * instance=ratio is a single call with 24 arguments over one of many: more than
 * 1 is what the processor hides where calls follow each other.
 *
 * Measures: ns for one call and return, eight calls in a pass of the loop.
 * Includes: loading each argument from memory, storing it on the stack from
 *	     the seventh on, one add for each, and an eighth of a loop's pass.
 *	     Calls follow each other closely, so the processor works on several
 *	     at a time, as it does in real programs: this is the time that a
 *	     call adds, not the time from its first instruction to its last.
 * After:    CSE 221 report, section 3.3 (0 to 7 arguments at -O0, the
 *	     procedure's frame included: comparable in its shape only), and the
 *	     article Testing Times (0 to 24, all over the stack, single shots).
 * Needs:    for via=plt its shared object, beside the program's directory.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "arch.h"
#include "bench.h"
#include "lib/callee.h"
#include "lib/caller.h"
#include "stats.h"

#define ARGS		(CALLEE_MAX + 1) /* 0 ... 24 */
#define MIN_SLOPE_SIGMA 2

enum { DIRECT, POINTER, PLT, VIAS };

static const char *const via_names[VIAS] = { "direct", "pointer", "plt" };
static const char *const increment_names[] = { "register", "stack" };

static const struct bench_axis call_axes[] = { AXIS_RANGE("args", ARGS),
					       AXIS_STR("via", via_names),
					       { 0 } };
static const struct bench_axis increment_axes[] = { AXIS_STR("increment",
							     increment_names),
						    AXIS_STR("via", via_names),
						    { 0 } };

struct procedure_state {
	uint64_t args[CALLEE_MAX];
	uint64_t calls, right; /* since the last check */
	void *library;
	const struct bench_case *single[ARGS], *ratio;
};

#define LIBRARY "liboscost-plt.so" /* mk/programs.mk says where */

static bool add_call(struct bench *b, void *state, struct bench_case *c)
{
	c->arg = &callers[c->at[0]];
	c->ops = CALLER_UNROLL;
	c->histogram = BENCH_HIST_CYCLES;
	return true;
}

static bool add_increment(struct bench *b, void *state, struct bench_case *c)
{
	c->derived = true;
	return true;
}

static uint64_t one_sum(const struct procedure_state *s, unsigned int args)
{
	uint64_t sum = 1;

	for (unsigned int i = 0; i < args; i++)
		sum += s->args[i];
	return sum;
}

static int sample_once(struct bench *b, void *state, const struct bench_case *c)
{
	struct procedure_state *s = state;
	const struct caller *caller = c->arg;
	uint64_t sum;

	bench_record(b, c, caller->once(bench_timer(b)->method, s->args, &sum));
	s->calls++;
	s->right += sum == one_sum(s, caller->args);
	return 0;
}

static void add_singles(struct bench *b, struct procedure_state *s)
{
	for (unsigned int n = 0; n < ARGS; n++)
		s->single[n] =
			bench_add(b, &(struct bench_case) {
					     .params = { P_STR("instance",
							       "single"),
							 P_INT("args", n) },
					     .arg = &callers[n],
					     .sample = sample_once });
	s->ratio = bench_add(b, &(struct bench_case) {
					.params = { P_STR("instance", "ratio"),
						    P_INT("args", CALLEE_MAX) },
					.unit = "x",
					.derived = true });
	bench_derived_from(b, s->ratio, s->single[CALLEE_MAX]);
	bench_derived_from(b, s->ratio,
			   bench_point(b, call_axes, CALLEE_MAX, DIRECT));
}

static int cases(struct bench *b, void *state)
{
	bench_add_axes(b, call_axes, add_call);
	bench_add_axes(b, increment_axes, add_increment);
	for (unsigned int via = 0; via < VIAS; via++)
		for (unsigned int n = 0; n < ARGS; n++) {
			const struct bench_case *call =
				bench_point(b, call_axes, n, via);

			if (n <= ARCH_ARGUMENTS)
				bench_derived_from(b,
						   bench_point(b,
							       increment_axes,
							       0, via),
						   call);
			if (n >= ARCH_ARGUMENTS)
				bench_derived_from(b,
						   bench_point(b,
							       increment_axes,
							       1, via),
						   call);
		}
	add_singles(b, state);
	return 0;
}

/* Different each time, so that no sum is right by habit. */
static int setup(struct bench *b, void *state)
{
	struct procedure_state *s = state;

	for (int i = 0; i < CALLEE_MAX; i++)
		s->args[i] = bench_random(b);
	s->library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	return 0;
}

/* Each call through the table is bound when it is first made. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct procedure_state *s = state;
	const char *now = getenv("LD_BIND_NOW");

	if (c->sample || c->at[1] != PLT)
		return 0;
	if (!s->library)
		return bench_skip(b, "no " LIBRARY " in ../lib/oscost from "
				     "here (needs /proc, too)");
	if (now && *now)
		return bench_skip(b, "LD_BIND_NOW is set, and the shared "
				     "object comes later");
	return 0;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct procedure_state *s = state;
	const struct caller *caller = c->arg;
	caller_fn *const loops[VIAS] = { caller->direct, caller->pointer,
					 caller->plt };
	const uint64_t calls = iters * CALLER_UNROLL;
	const uint64_t sum = loops[c->at[1]](s->args, iters);

	s->calls += calls;
	if (sum == calls * one_sum(s, caller->args))
		s->right += calls;
	return 0;
}

/* A call left out or an argument that did not arrive makes the sum wrong. */
static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct procedure_state *s = state;

	bench_proof(b, c, "calls", (double)s->calls, (double)s->right);
	s->calls = s->right = 0;
	return 0;
}

/* The cost of one argument more, from @first to @last arguments. */
static void derive_slope(struct bench *b, unsigned int increment,
			 unsigned int via, unsigned int first,
			 unsigned int last)
{
	const struct bench_case *c =
		bench_point(b, increment_axes, increment, via);
	double x[ARGS], y[ARGS];
	struct stats_line f;
	size_t n = 0;

	if (!bench_selected(b, c))
		return;
	for (unsigned int args = first; args <= last; args++) {
		x[n] = args;
		y[n++] = bench_value(b, bench_point(b, call_axes, args, via));
	}
	if (stats_fit_line(&f, x, y, n)) {
		bench_derive_skip(b, c,
				  "not all of args=%u ... %u were measured",
				  first, last);
		return;
	}
	bench_fact(b, c, "slope_error_ns", f.slope_error);
	bench_derive_within(b, c, f.slope, MIN_SLOPE_SIGMA * f.slope_error);
}

static void derive_ratio(struct bench *b, const struct procedure_state *s)
{
	const struct bench_case *many =
		bench_point(b, call_axes, CALLEE_MAX, DIRECT);
	const double ratio =
		bench_value(b, s->single[CALLEE_MAX]) / bench_value(b, many);

	if (!bench_selected(b, s->ratio))
		return;
	if (isfinite(ratio))
		bench_derive(b, s->ratio, ratio);
	else
		bench_derive_skip(b, s->ratio,
				  "one of the two calls has no value: see "
				  "its row");
}

static int derive(struct bench *b, void *state)
{
	for (unsigned int via = 0; via < VIAS; via++) {
		derive_slope(b, 0, via, 0, ARCH_ARGUMENTS);
		derive_slope(b, 1, via, ARCH_ARGUMENTS, CALLEE_MAX);
	}
	derive_ratio(b, state);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	const struct procedure_state *s = state;

	if (s->library)
		dlclose(s->library);
}

const struct bench_desc bench_desc = {
	.name = "procedure",
	.state_size = sizeof(struct procedure_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.run = run,
	.conclude = conclude,
	.derive = derive,
	.teardown = teardown,
};
