/* SPDX-License-Identifier: MIT */
/*
 * procedure - what does a procedure call cost, by its number of arguments?
 *
 * A caller calls a procedure with 0 to 24 integer arguments, over and over.
 * The two are compiled apart, neither is inlined, the arguments differ, come
 * from memory and are all used: the procedure adds them up and the sum is
 * checked.  By the x86-64 calling convention the first six travel in registers
 * and the others over the stack.  by=direct is a call to a known address,
 * by=pointer one through a pointer in a register, by=plt one into a shared
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
 * Needs:    for by=plt its shared object, beside the program's directory.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "arch.h"
#include "bench.h"
#include "lib/callee.h"
#include "stats.h"

#define NUMBERS		(CALLEE_MAX + 1) /* 0 ... 24 */
#define MIN_SLOPE_SIGMA 2

_Static_assert(CALLEE_MAX == 24 && CALLER_UNROLL == 8, "as the points say");
static const char points[] =
	"args=0..24 by={direct,pointer,plt}; is cycles ops=8;"
	"increment={register,stack} by={direct,pointer,plt}; is derived;"
	"instance=single args=0..24;"
	"instance=ratio args=24; is unit=x if instance=ratio;"
	"ratio := single / [!instance by=direct]";

struct procedure_state {
	uint64_t args[CALLEE_MAX];
	uint64_t calls, right; /* since the last check */
	void *library;
	/* The caller of this visit. */
	const struct caller *caller;
	caller_fn *loop;
};

#define LIBRARY "liboscost-plt.so" /* mk/programs.mk says where */

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
	const struct caller *caller = s->caller;
	uint64_t sum;

	bench_record(b, c, caller->once(bench_timer(b)->method, s->args, &sum));
	s->calls++;
	s->right += sum == one_sum(s, caller->args);
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	if (case_is(c, "instance", "single"))
		c->sample = sample_once;
	return true;
}

/* The @nth call that the cost of one argument more is found from, or NULL. */
static const struct bench_case *
call_of(const struct bench *b, const struct bench_case *increment, size_t nth)
{
	const bool stack = case_is(increment, "increment", "stack");
	const size_t args = (stack ? ARCH_ARGUMENTS : 0) + nth;

	return args > (stack ? CALLEE_MAX : ARCH_ARGUMENTS)
		       ? NULL
		       : bench_find(b, "args=%zu,by=%s", args,
				    case_str(increment, "by"));
}

static void cases(struct bench *b, void *state)
{
	const struct bench_case *call;

	bench_points(b, points);
	BENCH_EACH (b, c, "increment")
		for (size_t n = 0; (call = call_of(b, c, n)); n++)
			bench_derived_from(b, c, call);
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
	struct procedure_state *s = state;
	const char *now = getenv("LD_BIND_NOW");

	s->caller = &callers[case_int(c, "args")];
	s->loop = case_is(c, "by", "plt")	? s->caller->plt
		  : case_is(c, "by", "pointer") ? s->caller->pointer
						: s->caller->direct;
	if (!case_is(c, "by", "plt"))
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
	const uint64_t calls = iters * CALLER_UNROLL;
	const uint64_t sum = s->loop(s->args, iters);

	s->calls += calls;
	if (sum == calls * one_sum(s, s->caller->args))
		s->right += calls;
	return 0;
}

/* A call left out or an argument that did not arrive makes the sum wrong. */
static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct procedure_state *s = state;

	bench_proof(b, c, "calls", (double)s->calls, (double)s->right);
	s->calls = s->right = 0;
}

static void derive_slope(struct bench *b, const struct bench_case *c)
{
	const struct bench_case *call;
	double x[NUMBERS] = { 0 }, y[NUMBERS];
	struct stats_line f;
	size_t n = 0;

	for (; (call = call_of(b, c, n)); n++) {
		x[n] = (double)case_int(call, "args");
		y[n] = bench_value(b, call);
	}
	if (stats_fit_line(&f, x, y, n)) {
		bench_derive_skip(b, c,
				  "not all of args=%g ... %g were measured",
				  x[0], x[n - 1]);
		return;
	}
	bench_fact(b, c, "slope_error_ns", f.slope_error);
	bench_derive_within(b, c, f.slope, MIN_SLOPE_SIGMA * f.slope_error);
}

static void derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "increment")
		if (bench_selected(b, c))
			derive_slope(b, c);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct procedure_state),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.run = run,
	.conclude = conclude,
	.derive = derive,
};
