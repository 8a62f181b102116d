/* SPDX-License-Identifier: MIT */
/*
 * truth - does a measured value agree with what is known from elsewhere?
 *
 * Chains of 1 to 1024 instructions, each of which needs the result of the one
 * before, take their number times the latency of the instruction, in core
 * cycles: 1 for an add and for a lea of two registers, 3 for a 32-bit
 * multiply.  The core's frequency comes from add chains as long as the batch,
 * timed behind each batch: the fastest of the longest.  So the adds prove only
 * that the harness agrees with itself; the multiplies and the lea are the test.
 * work=wait spins on CLOCK_MONOTONIC_RAW, which itself gives the length of
 * each wait.
 *
 * The estimator is the difference of the least batches, for chain and
 * reference alike: a neighbour on the same core slows adds and multiplies by
 * different amounts (more of the adds find their port taken), and only in the
 * least disturbed batches is an add one cycle.
 *
 * Run it with each --timer, as `make truth` does: a row's remark has the true
 * value and the error in percent.  Chains of 1 are off: the loop's own branch
 * may take two cycles, and hides a single add.  The method cpuid2, which is
 * there for study, has a CPUID inside of each single interval (work=wait).
 *
 * Measures: ns for one chain (length: instructions) or one wait (length: ns).
 * Includes: nothing beside the chain: the loop's counter is hidden by it.
 * After:    the ground truth of docs/method.md; latencies from Fog's
 *	     instruction tables.
 * Needs:    a processor whose latency of imul is known (Intel Core, AMD Zen),
 *	     else no truth is given for the multiplies.
 */
#include <math.h>

#include "arch.h"
#include "arch_ask.h"
#include "bench.h"
#include "lib/chain.h"
#include "stats.h"

#define LENGTHS	   11  /* 1, 2, 4 ... 1024 */
#define KEPT	   512 /* waits: more than an invocation at --effort 100 makes */
#define REF_ADDS   64  /* adds in a pass of the reference chain */
#define MUL_CYCLES 3   /* of a multiply, for the length of the reference */

enum work { ADD, SECOND, MUL, WORKS };

typedef uint64_t chain_fn(uint64_t x, uint64_t y, uint64_t passes);

/* The state of a case. */
struct truth_case {
	chain_fn *chain; /* NULL: waits */
	enum work work;
	unsigned int doublings; /* of a link: the chain's length */
	/* The longest reference behind a batch, and the least that it took. */
	uint64_t passes, least;
	/* The length of each wait by its own clock, ns; the latest KEPT. */
	double wait_ns[KEPT];
	unsigned int waits;
};

struct truth_state {
	uint64_t x, y;	 /* operands */
	uint64_t before; /* x when the batch began */
};

/* Left alone: clang-format moves it at each run. */
/* clang-format off */
#define EACH_LENGTH(X, ...) \
	X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(4, __VA_ARGS__) \
	X(8, __VA_ARGS__) X(16, __VA_ARGS__) X(32, __VA_ARGS__) \
	X(64, __VA_ARGS__) X(128, __VA_ARGS__) X(256, __VA_ARGS__) \
	X(512, __VA_ARGS__) X(1024, __VA_ARGS__)
/* clang-format on */
#define CHAIN(length, name, insn) \
	static CHAIN_FUNCTION(chain_##name##_##length, insn, length)
#define ENTRY(length, name) chain_##name##_##length,

EACH_LENGTH(CHAIN, add, ARCH_CHAIN_ADD)
EACH_LENGTH(CHAIN, second, ARCH_CHAIN_SECOND)
EACH_LENGTH(CHAIN, multiply, ARCH_CHAIN_MUL)

static const struct {
	const char *name;
	chain_fn *chain[LENGTHS];
} works[WORKS] = {
	[ADD] = { "add", { EACH_LENGTH(ENTRY, add) } },
	[SECOND] = { ARCH_CHAIN_SECOND_NAME, { EACH_LENGTH(ENTRY, second) } },
	[MUL] = { "multiply", { EACH_LENGTH(ENTRY, multiply) } },
};

static int run_chain(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct truth_state *s = state;
	chain_fn *const chain = ((struct truth_case *)c->data)->chain;

	if (iters) /* the chain's loop tests at its end */
		s->x = chain(s->x, s->y, iters);
	BENCH_HIDE(s->x);
	return 0;
}

/* A reference as long as the batch and right behind it: what the core's
 * frequency did to the one, it did to the other. */
static void time_reference(struct bench *b, const struct truth_state *s,
			   struct truth_case *t, uint64_t links)
{
	const uint64_t cycles = links * (t->work == MUL ? MUL_CYCLES : 1);
	const uint64_t passes = cycles / REF_ADDS + 1;
	uint64_t ticks, x = s->x;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       x = chain_add_64(x, s->y, passes));
	BENCH_KEEP(x);
	if (passes < t->passes)
		return;
	if (passes > t->passes || ticks < t->least)
		t->least = ticks;
	t->passes = passes;
}

/* Compare the low half of a product only: the rest differs by architecture. */
static bool is_right(enum work w, uint64_t before, uint64_t y, uint64_t links,
		     uint64_t x)
{
	if (w == MUL)
		return (uint32_t)x ==
		       (uint32_t)(before * chain_power(y, links));
	if (w == SECOND)
		return x == ARCH_CHAIN_SECOND_LEFT(before, links * y);
	return x == before + links * y;
}

/* The chain's result shows how many links were really done. */
static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct truth_state *s = state;
	struct truth_case *t = c->data;
	const uint64_t links = iters << t->doublings;

	if (!t->chain)
		return;
	bench_proof(b, c, "batches", 1,
		    is_right(t->work, s->before, s->y, links, s->x));
	time_reference(b, s, t, links);
	s->before = s->x;
}

/* Return: how long it was by its own clock.  *@reads: of that, but the first.
 */
static __attribute__((noinline)) uint64_t wait_for(uint64_t ns, uint64_t *reads)
{
	const uint64_t start = timer_clock_begin();
	uint64_t n = 0, now;

	do {
		now = timer_clock_begin();
		n++;
	} while (now - start < ns);
	*reads = n;
	return now - start;
}

/*
 * The clock is latched somewhere within each read.  From the first latch to
 * the last is @reads reads; the timed interval holds the beginning of the
 * first read and the end of the last, too, together one read more.
 */
static int sample_wait(struct bench *b, void *state, const struct bench_case *c)
{
	struct truth_case *t = c->data;
	const uint64_t target_ns = (uint64_t)case_int(c, "length");
	uint64_t ticks, lasted_ns, reads;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       lasted_ns = wait_for(target_ns, &reads));
	bench_record(b, c, ticks);
	t->wait_ns[t->waits++ % KEPT] =
		(double)lasted_ns * (double)(reads + 1) / (double)reads;
	bench_proof(b, c, "waits", 1, lasted_ns >= target_ns);
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct truth_case *t = c->data;

	if (case_is(c, "work", "wait")) {
		c->sample = sample_wait;
		return true;
	}
	t->work = (enum work)CASE_NTH(c, "work", works);
	while (1 << t->doublings < case_int(c, "length"))
		t->doublings++;
	t->chain = works[t->work].chain[t->doublings];
	c->run = run_chain;
	c->estimator = BENCH_EST_MIN_DIFFERENCE;
	return true;
}

static int setup(struct bench *b, void *state)
{
	struct truth_state *s = state;

	s->x = s->before = bench_random(b) | 1;
	s->y = bench_random(b) | 1;
	return 0;
}

static void expect_chain(struct bench *b, const struct bench_case *c)
{
	const struct truth_case *t = c->data;
	const double latency = t->work == MUL ? arch_multiply_cycles() : 1;
	const double cycle =
		bench_ns(b, (double)t->least) / ((double)t->passes * REF_ADDS);

	if (!bench_selected(b, c) || !t->passes)
		return;
	bench_fact(b, c, "core_hz", 1e9 / cycle);
	if (latency > 0) {
		bench_fact(b, c, "latency_cycles", latency);
		bench_expect(b, c, (1 << t->doublings) * latency * cycle);
	} else {
		bench_fact_text(b, c, "latency_cycles",
				"not known for this processor");
	}
}

static void derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "work!=wait")
		expect_chain(b, c);
	BENCH_EACH (b, c, "work=wait") {
		struct truth_case *t = c->data;
		const size_t n = t->waits < KEPT ? t->waits : KEPT;

		if (bench_selected(b, c) && n)
			bench_expect(b, c, stats_median(t->wait_ns, n));
	}
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct truth_state),
	.case_state_size = sizeof(struct truth_case),
	/* The end of a wait is known to about 10 ns (the read itself, a
	 * mispredicted branch), so shorter waits would prove nothing. */
	.points = "work={add," ARCH_CHAIN_SECOND_NAME
		  ",multiply} length=1..1024*2;"
		  "work=wait length={10000,30000,100000}",
	.point = point,
	.setup = setup,
	.conclude = conclude,
	.derive = derive,
};
