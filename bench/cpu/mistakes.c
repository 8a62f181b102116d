/* SPDX-License-Identifier: MIT */
/*
 * mistakes - what do the classic errors of measuring print on this machine?
 *
 * The lab of wrong numbers.  Each mistake is made here, beside the right figure
 * for the same operation: figure=naive is what a program with this error
 *prints, figure=right is the truth, figure=factor is the first divided by the
 *second. Nothing is simulated: the noise is another process on the same CPU,
 *the loop that the compiler removes was compiled, the prefetcher is this
 *processor's.
 *
 * `oscost explain mistakes single_shot` tells of each why it happens, what this
 * suite does about it, and which program measures the operation properly; so do
 * the report and docs/teaching.md, which has questions and answers, too.
 *
 * A machine need not show each of them; then the row of the factor says so
 * (shown_here).  Where the core runs at the rate of the TSC, ticks are cycles,
 * and two processes that the scheduler leaves on one CPU need no pin.
 *
 * Measures: ns of one operation; core cycles (ticks_as_cycles); percent of the
 *	     mean for half an interval (one_process); the factor.
 * Includes: figure=naive also has what such a program fails to take off.
 * After:    R. Vaughan, Testing Times, 2004; G. Paoloni, Intel white paper
 *	     324264-001, 2010; the errors of the CSE 221 reports.
 * Needs:    64 MiB of memory or twice the last cache for strided_chase, two
 *	     CPUs for unpinned.
 */
#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "kernel_tells.h"
#include "lib/mistake.h"

#define MIB ((size_t)1 << 20)

static const char points[] = "mistake=$mistakes figure={naive,right,factor};"
			     "is derived unit=x if figure=factor";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct mistake *m = CASE_OF(c, "mistake", mistake_table);
	const bool right = case_is(c, "figure", "right");
	const struct mistake_way *w = &m->way[right ? RIGHT : NAIVE];

	c->arg = m;
	if (c->derived)
		return true;
	c->unit = m->unit;
	c->run = w->run;
	c->sample = w->sample;
	c->estimator = w->estimator;
	c->ops = w->ops;
	c->most = w->most;
	c->exclusive = m->whole;
	c->switches = m->switches;
	c->derived = !w->run && !w->sample;
	if (c->derived && right)
		c->of = bench_beside(b, c, "figure=naive");
	return true;
}

static int cases(struct bench *b, void *state)
{
	BENCH_SET_NAMES(b, "mistakes", mistake_table);
	bench_points(b, points);
	BENCH_EACH (b, factor, "figure=factor") {
		const struct bench_case *naive =
			bench_beside(b, factor, "figure=naive");
		const struct bench_case *right =
			bench_beside(b, factor, "figure=right");

		bench_derived_from(b, factor, naive);
		bench_derived_from(b, factor, right);
		if (naive->derived)
			bench_derived_from(b, naive, right);
	}
	return 0;
}

/* The first call of this process, as a program that measures once finds it. */
static int setup(struct bench *b, void *state)
{
	struct mistakes_state *s = state;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks, s->parent = getppid());
	s->shot_ns = naive_ns(b, ticks);
	s->x = bench_random(b) | 1;
	s->y = bench_random(b) | 1;
	return 0;
}

static int disturb(struct partner *p, void *arg)
{
	while (!partner_stopping(p))
		continue;
	return 0;
}

/* Of which no cache holds more than half, and a power of two. */
static int enter_chase(struct bench *b, struct mistakes_state *s,
		       bool ascending)
{
	const uint64_t cache = bench_cache_bytes(b, 3);

	for (s->bytes = 64 * MIB; s->bytes < 2 * cache;)
		s->bytes *= 2;
	if (s->bytes > bench_spare_bytes(b))
		return bench_skip(b,
				  "needs %zu MiB, more than a quarter of "
				  "the memory that is free",
				  s->bytes / MIB);
	if (!s->memory) {
		s->memory = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (s->memory == MAP_FAILED) {
			s->memory = NULL;
			return bench_fail(b, errno, "mmap");
		}
		(void)madvise(s->memory, s->bytes, MADV_HUGEPAGE);
	}
	naive_link(s->memory, s->bytes, ascending);
	s->at = s->memory;
	return 0;
}

/* In the page cache. */
static int enter_file(struct bench *b, struct mistakes_state *s)
{
	const off_t page = (off_t)bench_page_bytes();

	s->file = memfd_create("oscost-mistakes", MFD_CLOEXEC);
	if (s->file < 0 || ftruncate(s->file, MISTAKE_FILE_BYTES))
		return bench_fail(b, errno, "memfd_create");
	for (off_t at = 0; at < (off_t)MISTAKE_FILE_BYTES; at += page)
		if (pwrite(s->file, "x", 1, at) != 1)
			return bench_fail(b, errno, "write to memory");
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct mistakes_state *s = state;
	const struct mistake *m = c->arg;
	const struct timer *t = bench_timer(b);
	const bool naive = case_is(c, "figure", "naive");
	int err;

	s->right = bench_beside(b, c, "figure=right");
	s->strided = naive;
	if (m->needs_tsc && t->method == TIMER_CLOCK)
		return bench_skip(b, "the clock in use is not the TSC");
	if (m->needs_step && t->quantum_ticks < 2)
		return bench_skip(b, "the clock has no steps here");
	if (m->needs_step && t->method == TIMER_NONE)
		return bench_skip(b, "the timing method none does not wait for "
				     "so short an operation");
	switch (m - mistake_table) {
	case MEAN_UNDER_NOISE:
		return partner_start(b, &s->disturber, PARTNER_PROCESS,
				     bench_cpu(b), disturb, NULL);
	case STRIDED_CHASE:
		return enter_chase(b, s, naive);
	case FAULT_AROUND:
		err = kernel_needs(b, KERNEL_FAULTS);
		return err ? err : enter_file(b, s);
	case ROUND_TRIP:
		err = kernel_needs(b, KERNEL_SWITCHES);
		return err ? err : naive_pair_start(b, &s->pair, true);
	case UNPINNED:
		return naive_pair_start(b, &s->pair, !naive);
	default:
		return 0;
	}
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct mistakes_state *s = state;

	if (c->arg == &mistake_table[STRIDED_CHASE])
		bench_proof(b, c, "answers", 1,
			    s->at == naive_expected(s->memory, s->bytes,
						    s->strided, s->from,
						    iters * MISTAKE_LOADS));
	return 0;
}

static void clean_up(struct mistakes_state *s)
{
	partner_stop(&s->disturber);
	naive_pair_stop(&s->pair);
	if (s->file > 0)
		close(s->file);
	s->file = 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	clean_up(state);
	return 0;
}

/* A machine need not show a mistake; then the factor stands all the same, or
 * the median of many invocations would be of those that show it. */
static void derive_factor(struct bench *b, const struct bench_case *c)
{
	const struct mistake *m = c->arg;
	const double naive = bench_value(b, bench_beside(b, c, "figure=naive"));
	const double right = bench_value(b, bench_beside(b, c, "figure=right"));
	const double factor = naive / right;
	const bool shown = (m->at_most != 0 && factor <= m->at_most) ||
			   (m->at_least != 0 && factor >= m->at_least);

	if (!bench_selected(b, c))
		return;
	if (!isfinite(factor)) {
		bench_derive_skip(b, c,
				  "one of the two figures has no value: see "
				  "its row");
		return;
	}
	bench_derive(b, c, factor);
	if (m->at_most != 0)
		bench_fact(b, c, "claim_at_most", m->at_most);
	if (m->at_least != 0)
		bench_fact(b, c, "claim_at_least", m->at_least);
	bench_fact_text(b, c, "shown_here",
			shown ? "yes"
			      : "no: the two figures differ by less than is "
				"claimed");
}

static int derive(struct bench *b, void *state)
{
	const struct mistakes_state *s = state;
	const struct bench_case *shot =
		bench_find(b, "mistake=%s,figure=naive",
			   mistake_table[SINGLE_SHOT].name);

	if (bench_selected(b, shot))
		bench_derive(b, shot, s->shot_ns);
	BENCH_EACH (b, c, "figure=factor")
		derive_factor(b, c);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct mistakes_state *s = state;

	clean_up(s);
	if (s->memory)
		munmap(s->memory, s->bytes);
}

const struct bench_desc bench_desc = {
	.name = "mistakes",
	.state_size = sizeof(struct mistakes_state),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
