/* SPDX-License-Identifier: MIT */
/*
 * truth - does a measured value agree with what is known from elsewhere?
 *
 * Chains of 1 to 1024 instructions, each of which needs the result of the one
 * before, take their number times the latency of the instruction, in core
 * cycles: 1 for an add and for a lea of two registers, 3 for a 32-bit
 * multiply.  The core's frequency comes from an add chain as long as the
 * batch, timed behind each batch.  So the adds prove only that the harness
 * agrees with itself; the multiplies and the lea are the test.  work=wait
 * spins on CLOCK_MONOTONIC_RAW, which says by itself how long each wait was.
 *
 * The estimator is the difference of the least batches, for chain and
 * reference alike: a neighbour on the same core slows adds and multiplies by
 * different amounts (more of the adds find their port taken), and only in the
 * least disturbed batches is an add one cycle.
 *
 * Run it with each --timer: `make truth` does, and prints a table of the true
 * value, the measured one and the error in percent.  Chains of 1 are off: the
 * loop's own branch may take two cycles, and hides a single add.
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

#define LENGTHS	   11 /* 1, 2, 4 ... 1024 */
#define WAITS	   3
#define KEPT	   512 /* more than an invocation at --effort 100 makes */
#define REF_ADDS   64  /* adds in a pass of the reference chain */
#define NEAR	   8   /* batches */
#define MUL_CYCLES 3   /* of a multiply, for the length of the reference */

/* What a wait was by its own clock, ns, the latest KEPT of them. */
struct readings {
	unsigned int n;
	double v[KEPT];
};

/* The reference chain after each batch: as many cycles as the batch had. */
struct reference {
	unsigned int n;
	struct span {
		uint64_t iters; /* of the batch */
		uint64_t ticks; /* of the batch, only to find the least */
		double hz;	/* of the core, right behind it */
		unsigned int visit;
	} v[KEPT];
};

enum work { ADD, SECOND, MUL, WORKS };

struct truth_state {
	uint64_t x, y;	    /* operands */
	uint64_t before;    /* x when the batch began */
	uint64_t ticks;	    /* that the batch took, roughly */
	unsigned int visit; /* counts them: between two, time passes */
	const struct bench_case *chain[WORKS][LENGTHS], *wait[WAITS];
	struct reference chains[WORKS][LENGTHS];
	struct readings waits[WAITS];
};

typedef uint64_t chain_fn(uint64_t x, uint64_t y, uint64_t passes);

#define CHAIN(name, insn, length) \
	static CHAIN_FUNCTION(chain_##name##_##length, insn, length)
#define CHAINS(name, insn)     \
	CHAIN(name, insn, 1)   \
	CHAIN(name, insn, 2)   \
	CHAIN(name, insn, 4)   \
	CHAIN(name, insn, 8)   \
	CHAIN(name, insn, 16)  \
	CHAIN(name, insn, 32)  \
	CHAIN(name, insn, 64)  \
	CHAIN(name, insn, 128) \
	CHAIN(name, insn, 256) \
	CHAIN(name, insn, 512) \
	CHAIN(name, insn, 1024)

CHAINS(add, ARCH_CHAIN_ADD)
CHAINS(second, ARCH_CHAIN_SECOND)
CHAINS(multiply, ARCH_CHAIN_MUL)

#define TABLE(name)                                                   \
	{                                                             \
		chain_##name##_1, chain_##name##_2, chain_##name##_4, \
			chain_##name##_8, chain_##name##_16,          \
			chain_##name##_32, chain_##name##_64,         \
			chain_##name##_128, chain_##name##_256,       \
			chain_##name##_512, chain_##name##_1024       \
	}

static const struct {
	const char *name;
	chain_fn *chain[LENGTHS];
} works[WORKS] = {
	[ADD] = { "add", TABLE(add) },
	[SECOND] = { ARCH_CHAIN_SECOND_NAME, TABLE(second) },
	[MUL] = { "multiply", TABLE(multiply) },
};

/* The end of a wait is known to about 10 ns (the read itself, a mispredicted
 * branch), so shorter waits would prove nothing. */
static const unsigned int wait_ns[WAITS] = { 10000, 30000, 100000 };

static void keep(struct readings *r, double x)
{
	r->v[r->n++ % KEPT] = x;
}

static double median(const struct readings *r)
{
	double copy[KEPT];
	const size_t n = r->n < KEPT ? r->n : KEPT;

	for (size_t i = 0; i < n; i++)
		copy[i] = r->v[i];
	return n ? stats_median(copy, n) : NAN;
}

/* The two reads of the clock are a constant part of each batch, which the
 * difference takes out; they only tell later which batch was the least. */
static int run_chain(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct truth_state *s = state;
	chain_fn *const *chain = c->arg;
	const bool tsc = bench_timer(b)->method != TIMER_CLOCK;
	const uint64_t begin = tsc ? timer_none_begin() : timer_clock_begin();

	if (iters) /* the chain's loop tests at its end */
		s->x = (*chain)(s->x, s->y, iters);
	BENCH_HIDE(s->x);
	s->ticks = (tsc ? timer_none_end() : timer_clock_end()) - begin;
	return 0;
}

/* x y^n, modulo 2^32: what a chain of n multiplies leaves. */
static uint64_t multiplied(uint64_t x, uint64_t y, uint64_t n)
{
	uint32_t result = (uint32_t)x, power = (uint32_t)y;

	for (; n; n >>= 1) {
		if (n & 1)
			result *= power;
		power *= power;
	}
	return result;
}

static enum work work_of(const struct bench_case *c)
{
	return (enum work)(c->index / LENGTHS);
}

static int length_index(const struct bench_case *c)
{
	return (int)(c->index % LENGTHS);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct truth_state *s = state;

	s->visit++;
	return 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct truth_state *s = state;

	s->before = s->x;
	return 0;
}

/* A reference as long as the batch and right behind it: what the core's
 * frequency did to the one, it did to the other. */
static void time_reference(struct bench *b, struct truth_state *s,
			   const struct bench_case *c, uint64_t iters,
			   uint64_t links)
{
	struct reference *r = &s->chains[work_of(c)][length_index(c)];
	const uint64_t cycles = links * (work_of(c) == MUL ? MUL_CYCLES : 1);
	const uint64_t passes = cycles / REF_ADDS + 1;
	uint64_t ticks, x = s->x;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       x = chain_add_64(x, s->y, passes));
	BENCH_KEEP(x);
	r->v[r->n % KEPT].iters = iters;
	r->v[r->n % KEPT].ticks = s->ticks;
	r->v[r->n % KEPT].visit = s->visit;
	r->v[r->n % KEPT].hz =
		(double)passes * REF_ADDS * 1e9 / bench_ns(b, (double)ticks);
	r->n++;
}

/* Of a product, only the low half is the same on all architectures. */
static bool is_right(enum work w, uint64_t before, uint64_t y, uint64_t links,
		     uint64_t x)
{
	if (w == MUL)
		return (uint32_t)x == multiplied(before, y, links);
	if (w == SECOND)
		return x == ARCH_CHAIN_SECOND_LEFT(before, links * y);
	return x == before + links * y;
}

/* The chain's result tells how many links were really done. */
static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct truth_state *s = state;
	uint64_t links;

	if (c->index < 0)
		return 0;
	links = iters << length_index(c);
	bench_proof(b, c, "batches", 1,
		    is_right(work_of(c), s->before, s->y, links, s->x));
	time_reference(b, s, c, iters, links);
	return 0;
}

/* What one wait was by its own clock. */
struct wait {
	uint64_t target_ns, lasted_ns, reads;
};

static __attribute__((noinline)) void wait_for(struct wait *w)
{
	const uint64_t start = timer_clock_begin();
	uint64_t reads = 0, now;

	do {
		now = timer_clock_begin();
		reads++;
	} while (now - start < w->target_ns);
	w->lasted_ns = now - start;
	w->reads = reads;
}

/*
 * The clock is latched somewhere within each read.  From the first latch to
 * the last is @reads reads; the timed interval holds the beginning of the
 * first read and the end of the last, too, together one read more.
 */
static int sample_wait(struct bench *b, void *state, const struct bench_case *c)
{
	struct truth_state *s = state;
	struct readings *truth = &s->waits[-1 - c->index];
	struct wait w = { .target_ns = wait_ns[-1 - c->index] };
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks, wait_for(&w));
	bench_record(b, c, ticks);
	keep(truth,
	     (double)w.lasted_ns * (double)(w.reads + 1) / (double)w.reads);
	bench_proof(b, c, "waits", 1, w.lasted_ns >= w.target_ns);
	return 0;
}

static int cases(struct bench *b, void *state)
{
	struct truth_state *s = state;

	for (int w = 0; w < WORKS; w++)
		for (int l = 0; l < LENGTHS; l++)
			s->chain[w][l] = bench_add(
				b,
				&(struct bench_case) {
					.params = { P_STR("work",
							  works[w].name),
						    P_INT("length", 1 << l) },
					.index = w * LENGTHS + l,
					.arg = &works[w].chain[l],
					.estimator = BENCH_EST_MIN_DIFFERENCE,
					.run = run_chain });
	/* Their index is negative, for their length is no power of two. */
	for (int i = 0; i < WAITS; i++)
		s->wait[i] =
			bench_add(b, &(struct bench_case) {
					     .params = { P_STR("work", "wait"),
							 P_INT("length",
							       wait_ns[i]) },
					     .index = -1 - i,
					     .sample = sample_wait });
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct truth_state *s = state;

	s->x = bench_random(b) | 1;
	s->y = bench_random(b) | 1;
	return 0;
}

/*
 * The best of the references near batch @i, a millisecond or two: the others
 * were disturbed.  The frequency steps less often than that.
 */
static double hz_near(const struct reference *r, unsigned int n, unsigned int i)
{
	const unsigned int from = i < NEAR ? 0 : i - NEAR;
	double best = 0;

	for (unsigned int k = from; k < n && k <= i + NEAR; k++)
		if (r->v[k].visit == r->v[i].visit)
			best = fmax(best, r->v[k].hz);
	return best;
}

/*
 * The harness takes the least of the batches of 2n and of n from its quads (n,
 * 2n, 2n, n).  The core's frequency steps up and down, so each of the two has
 * its own.  Return: what the difference of these two should be for one chain
 * of @cycles, ns; NAN if there is no quad.
 */
static double true_ns(const struct reference *r, double cycles)
{
	const unsigned int n = r->n < KEPT ? r->n : KEPT;
	unsigned int least[2] = { KEPT, KEPT };

	for (unsigned int i = 0; i + 3 < n; i++) {
		const struct span *v = &r->v[i];

		if (v[1].iters != 2 * v[0].iters || v[2].iters != v[1].iters ||
		    v[3].iters != v[0].iters)
			continue;
		for (unsigned int k = 0; k < 4; k++) {
			unsigned int *l = &least[k == 1 || k == 2];

			if (*l == KEPT || v[k].ticks < r->v[*l].ticks)
				*l = i + k;
		}
	}
	if (least[0] == KEPT)
		return NAN;
	return cycles * 1e9 *
	       (2 / hz_near(r, n, least[1]) - 1 / hz_near(r, n, least[0]));
}

static void expect_chain(struct bench *b, const struct truth_state *s,
			 enum work w, int l)
{
	const struct bench_case *c = s->chain[w][l];
	const double latency = w == MUL ? arch_multiply_cycles() : 1;
	const double cycles = (1 << l) * latency;
	const double ns = true_ns(&s->chains[w][l], cycles);

	if (!bench_selected(b, c) || !isfinite(ns))
		return;
	if (latency > 0) {
		bench_fact(b, c, "latency_cycles", latency);
		bench_fact(b, c, "core_hz", cycles * 1e9 / ns);
		bench_expect(b, c, ns);
	} else {
		bench_fact_text(b, c, "latency_cycles",
				"not known for this processor");
	}
}

static int derive(struct bench *b, void *state)
{
	const struct truth_state *s = state;

	for (int w = 0; w < WORKS; w++)
		for (int l = 0; l < LENGTHS; l++)
			expect_chain(b, s, (enum work)w, l);
	for (int i = 0; i < WAITS; i++)
		if (bench_selected(b, s->wait[i]) && s->waits[i].n)
			bench_expect(b, s->wait[i], median(&s->waits[i]));
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "truth",
	.state_size = sizeof(struct truth_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.derive = derive,
};
