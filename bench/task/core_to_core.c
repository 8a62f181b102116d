/* SPDX-License-Identifier: MIT */
/*
 * core_to_core - how long does a cache line take from one CPU to another?
 *
 * Two threads on two CPUs take turns: one writes a number into a cache line,
 * the other waits for it in a loop of loads and writes the next number into
 * the same line, for which the first waits in turn.  So the line travels
 * there and back in each round trip, and nothing else has to: no system call,
 * no lock prefix, no pause instruction (which alone may take 140 cycles).
 * Two threads that share data cannot exchange it faster.
 *
 * Each pair is measured from both sides, so that the matrix is full: from is
 * the CPU that begins and is timed.  The line is new at each measurement, in
 * memory of from's node: where a line lies in the last cache, and on which
 * node its memory is, decides how far both ends have to go: so of a pair on two
 * nodes it is on the one in one row and on the other in the other.  If there
 * are more pairs than --pairs, so many of them are taken, alike many of each
 * distance that there is: the two hardware threads of a core, cores of one L2
 * cache, of one L3 cache, of one node, of one socket, and the rest.
 *
 * Measures: one round trip: two transfers of the line.
 * Includes: on each side the loop of loads that sees the change, the store
 *           that answers, and the mispredicted branch at the end of the wait.
 * After:    core-to-core-latency (N. Viennot), which uses compare-and-swap
 *           and prints the one-way time; the line ping-pong of multichase.
 *           Comparable with half of our figure.
 * Needs:    two CPUs.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "alloc.h"
#include "bench.h"
#include "partner.h"

#define MAX_PAIRS 4096

#define PAGE_BYTES 4096u /* mmap makes whole pages of it */

#define LAST	   UINT64_MAX	       /* on the line: ends the answers */
#define MOST_LOADS ((uint64_t)1 << 35) /* within an answer: many seconds */

struct state {
	uint64_t pairs;
	struct partner partner;
	uint64_t asked, answers; /* since the visit began */
	/* The line, the first of a page that holds nothing else: the prefetcher
	 * may bring its neighbour along.  NULL between visits. */
	_Atomic uint64_t *line;
};

static const struct opt opts[] = {
	OPT_U64(0, "pairs", state, pairs, "66", 1, MAX_PAIRS,
		"measure at most so many pairs of CPUs"),
	OPT_END,
};

static const char *const shared[BENCH_DISTANCES] = {
	[BENCH_BY_CORE] = "core",     [BENCH_BY_L2] = "L2",
	[BENCH_BY_L3] = "L3",	      [BENCH_BY_NODE] = "node",
	[BENCH_BY_SOCKET] = "socket", [BENCH_BY_MEMORY] = "memory",
};

/* Both rows of a pair: each side begins once. */
static void add_pair(struct bench *b, const int *cpu)
{
	for (int side = 0; side < 2; side++) {
		BENCH_SET_NUMBER(b, "from", BENCH_INT, cpu[side]);
		BENCH_SET_NUMBER(b, "to", BENCH_INT, cpu[!side]);
		bench_points(b, "from=$from to=$to");
	}
}

/* The pairs of the @n CPUs @cpu at @distance: adds @take of the @there, alike
 * far from each other in their order.  Return: how many there are. */
static uint64_t pairs_at(struct bench *b, const int *cpu, unsigned int n,
			 enum bench_distance distance, uint64_t there,
			 uint64_t take)
{
	uint64_t seen = 0;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++) {
			const int pair[] = { cpu[i], cpu[k] };

			if (bench_distance(b, pair[0], pair[1]) != distance)
				continue;
			if (take &&
			    seen * take / there != (seen + 1) * take / there)
				add_pair(b, pair);
			seen++;
		}
	return seen;
}

static void cases(struct bench *b, void *state)
{
	struct state *s = state;
	uint64_t there[BENCH_DISTANCES], left = s->pairs;
	const unsigned int n = bench_cpus(b);
	int *cpu = text_alloc(n, sizeof(*cpu));
	unsigned int kinds = 0;

	for (unsigned int i = 0; i < n; i++)
		cpu[i] = bench_nth_cpu(b, i);
	for (int d = 0; d < BENCH_DISTANCES; d++) {
		there[d] = pairs_at(b, cpu, n, (enum bench_distance)d, 1, 0);
		kinds += there[d] > 0;
	}
	/* Give unused pairs of near distances to the far ones. */
	for (int d = 0; d < BENCH_DISTANCES; d++) {
		const uint64_t share = kinds ? (left + kinds - 1) / kinds : 0;
		const uint64_t take = there[d] < share ? there[d] : share;

		if (!there[d])
			continue;
		pairs_at(b, cpu, n, (enum bench_distance)d, there[d], take);
		left -= take;
		kinds--;
	}
	free(cpu);
	if (n < 2)
		bench_skip(b, "needs a second CPU");
}

/* Answer every odd number with the next even one. */
static int answer(struct partner *t, void *arg)
{
	struct state *s = arg;
	_Atomic uint64_t *line = s->line;
	uint64_t n = 0, seen;

	for (;;) {
		do
			seen = atomic_load_explicit(line, memory_order_acquire);
		while (!(seen & 1));
		if (seen == LAST)
			break;
		atomic_store_explicit(line, seen + 1, memory_order_release);
		n++;
	}
	s->answers = n; /* read after partner_stop() */
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const int from = (int)case_int(c, "from");
	const int to = (int)case_int(c, "to");
	int err = bench_pin(from);

	if (err)
		return bench_fail(b, -err, "pin to CPU %d", from);
	s->line = partner_share(PAGE_BYTES); /* touched here, by from */
	if (!s->line)
		return bench_fail(b, errno, "map a page");
	s->asked = 0;
	bench_fact_text(b, c, "shared", shared[bench_distance(b, from, to)]);
	return partner_start(b, &s->partner, PARTNER_THREAD, to, answer, s);
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	_Atomic uint64_t *line = s->line;
	uint64_t turn = atomic_load_explicit(line, memory_order_relaxed);

	s->asked += iters;
	for (uint64_t i = 0; i < iters; i++) {
		uint64_t left = MOST_LOADS;

		atomic_store_explicit(line, turn + 1, memory_order_release);
		turn += 2;
		while (atomic_load_explicit(line, memory_order_acquire) != turn)
			if (!--left)
				return bench_fail(
					b, 0, "the partner does not answer");
	}
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (s->line) {
		atomic_store(s->line, LAST);
		partner_stop(&s->partner);
		partner_unshare((void *)s->line, PAGE_BYTES);
		s->line = NULL;
	}
	/* The partner's own count: it can differ. */
	bench_proof(b, c, "answers", (double)s->asked, (double)s->answers);
	s->answers = 0;
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.opts = opts,
	.state_size = sizeof(struct state),
	.cases = cases,
	.enter = enter,
	.run = run,
	.leave = leave,
};
