/* SPDX-License-Identifier: MIT */
/*
 * core_to_core - how long does a cache line take from one CPU to another?
 *
 * Two threads on two CPUs take turns: one writes a number into a cache line,
 * the other waits for it in a loop of loads and writes the next number into
 * the same line, for which the first waits in turn.  So the line travels
 * there and back in each round trip, and nothing else has to: no system call,
 * no lock prefix, no pause instruction (which alone may take 140 cycles).
 * What two threads that share data pay cannot be less.
 *
 * Each pair is measured from both sides, so that the matrix is full: from is
 * the CPU that begins and is timed.  The line is a new one at each visit, in
 * memory of from's node: where a line lies in the last cache, and on which
 * node its memory is, decides how far both ends have to go.  If there are more
 * pairs than --pairs, CPUs at equal distances in the kernel's numbering are
 * taken, the measuring CPU being one of them, so many that their pairs are not
 * more than --pairs.
 *
 * Measures: one round trip: two transfers of the line.  The fact one_way_ns is
 *           half of it.
 * Includes: on each side the loop of loads that sees the change, the store
 *           that answers, and the mispredicted branch at the end of the wait.
 * After:    core-to-core-latency (N. Viennot), which uses compare-and-swap
 *           and prints the one-way time; the line ping-pong of multichase.
 *           Comparable with half of our figure.
 * Needs:    two CPUs.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "bench.h"
#include "partner.h"

/* After so many loads it is asked whether to go on: there are none so many
 * within an answer. */
#define LOOKS (1u << 20)

/* The number that ends the partner's loop; odd, as all that it waits for. */
#define LAST UINT64_MAX

#define MAX_PAIRS 4096

#define PAGE_BYTES 4096u /* mmap makes whole pages of it */

/* The most that have no more pairs than that. */
#define MAX_CPUS 91

enum { FROM, TO };

struct state {
	uint64_t pairs;
	int64_t cpu[MAX_CPUS];
	unsigned int cpus;
	struct bench_axis axes[3];
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

/* How many of @cpus CPUs have at most @pairs pairs. */
static unsigned int choose(unsigned int cpus, uint64_t pairs)
{
	unsigned int m = 2;

	while (m < cpus && (uint64_t)(m + 1) * m / 2 <= pairs)
		m++;
	return m;
}

static bool add_pair(struct bench *b, void *state, struct bench_case *c)
{
	return c->at[FROM] != c->at[TO];
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	const unsigned int cpus = bench_cpus(b);

	if (cpus < 2)
		return 0; /* BENCH_NEED_2_PUS has the reason */
	s->cpus = choose(cpus, s->pairs);
	for (unsigned int i = 0; i < s->cpus; i++)
		s->cpu[i] = bench_nth_cpu(b, i * cpus / s->cpus);
	s->axes[FROM] = (struct bench_axis)AXIS_INT("from", s->cpu);
	s->axes[TO] = (struct bench_axis)AXIS_INT("to", s->cpu);
	s->axes[FROM].n = s->axes[TO].n = s->cpus;
	bench_add_axes(b, s->axes, add_pair);
	return 0;
}

/* The partner: answer every odd number with the next even one. */
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
	const int from = (int)c->params[FROM].number;
	const int to = (int)c->params[TO].number;
	int err = bench_pin(from);

	if (err)
		return bench_fail(b, -err, "pin to CPU %d", from);
	s->line = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->line == MAP_FAILED) {
		s->line = NULL;
		return bench_fail(b, errno, "mmap");
	}
	atomic_store(s->line, 0); /* here, so that it is from's */
	s->asked = 0;
	return partner_start(b, &s->partner, PARTNER_THREAD, to, answer, s);
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	_Atomic uint64_t *line = s->line;
	uint64_t turn = atomic_load_explicit(line, memory_order_relaxed);
	int err;

	for (uint64_t i = 0; i < iters; i++) {
		uint64_t patience = LOOKS;

		atomic_store_explicit(line, turn + 1, memory_order_release);
		turn += 2;
		while (atomic_load_explicit(line, memory_order_acquire) != turn)
			if (!--patience) {
				err = partner_check();
				if (err)
					return partner_failed(b, err);
				patience = LOOKS;
			}
	}
	s->asked += iters;
	return 0;
}

/* The partner ends, and the line goes. */
static void stop(struct state *s)
{
	if (!s->line)
		return;
	atomic_store(s->line, LAST);
	partner_stop(&s->partner);
	munmap((void *)s->line, PAGE_BYTES);
	s->line = NULL;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err;

	stop(s);
	/* What the partner itself has counted: it can differ. */
	bench_proof(b, c, "answers", (double)s->asked, (double)s->answers);
	s->answers = 0;
	err = bench_pin(bench_cpu(b));
	return err ? bench_fail(b, -err, "pin to CPU %d", bench_cpu(b)) : 0;
}

static int derive(struct bench *b, void *state)
{
	const struct state *s = state;

	for (unsigned int i = 0; i < s->cpus * s->cpus; i++) {
		const struct bench_case *c =
			bench_point(b, s->axes, i / s->cpus, i % s->cpus);

		if (c && bench_value(b, c) > 0)
			bench_fact(b, c, "one_way_ns", bench_value(b, c) / 2);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	stop(state);
}

const struct bench_desc bench_desc = {
	.name = "core_to_core",
	.many_cpus = true,
	.needs = BENCH_NEED_2_PUS,
	.opts = opts,
	.state_size = sizeof(struct state),
	.cases = cases,
	.enter = enter,
	.run = run,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
