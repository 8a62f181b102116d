/* SPDX-License-Identifier: MIT */
/*
 * shootdown - what do changes of the page table cost while other threads of
 * the process run?
 *
 * A CPU keeps translations of addresses. Where the kernel takes one away, each
 * CPU that runs a thread of the process must forget it, before the call may
 * return: the kernel interrupts it and waits (a shootdown). Threads that sleep
 * need none. Here one page is made read-only (mprotect), unmapped (munmap),
 * given back (madvise, MADV_DONTNEED) or moved to another NUMA node (migrate,
 * move_pages); membarrier interrupts the same CPUs and changes nothing. others
 * is the number of further threads, each on a CPU of its own: threads=running
 * ones count in a loop, threads=asleep ones wait in a futex.
 *
 * Measures: ns for one call on one page that has been written to; figure=slope:
 *           for each running thread more.
 * Includes: entering and leaving the kernel, the interrupts of the other CPUs
 *           and the wait for the slowest of them.
 * After:    will-it-scale's and the kernel's own TLB tests; lmbench has none.
 * Needs:    a second CPU for others=1; two NUMA nodes for migrate.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "kernel_tells.h"
#include "lib/mem_buffer.h"
#include "partner_team.h"
#include "stats.h"

#define MOST_STEPS 12
#define LOOKS	   (1u << 20) /* at a thread that does not run yet */
#define MOVE_OURS  2	      /* MPOL_MF_MOVE, of a header few have */

enum call { MPROTECT, MUNMAP, MADVISE, MEMBARRIER, MIGRATE };
enum threads { NONE, RUNNING, ASLEEP };

static const char *const calls[] = { "mprotect", "munmap", "madvise",
				     "membarrier", "migrate" };
static const char *const threads[] = { "none", "running", "asleep" };
static const char *const slopes[] = { "slope" };

static const struct bench_axis lines[] = { AXIS_STR("call", calls),
					   AXIS_STR("figure", slopes),
					   { 0 } };

struct state {
	struct bench_axis axes[4];
	int64_t others[MOST_STEPS]; /* 0, 1, 2, 4 ... all */
	struct partner member[PARTNER_TEAM_MAX];
	unsigned int n;		/* that were started */
	struct mem_buffer page; /* a mapping of its own */
	int node;		/* that it is to go to */
	bool counted;		/* the interrupts of one call of this visit */
	struct {
		_Alignas(64) _Atomic uint64_t count;
	} loops[PARTNER_TEAM_MAX];
};

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	const int64_t others = c->params[2].number;

	if ((others == 0) != (c->at[1] == NONE))
		return false;
	if (others >= bench_cpus(b))
		c->skip = "needs a second CPU";
	else if (c->at[0] == MIGRATE && bench_nodes(b) < 2)
		c->skip = "needs two NUMA nodes";
	return true;
}

static bool add_slope(struct bench *b, void *state, struct bench_case *c)
{
	const struct state *s = state;

	c->derived = true;
	c->unit = "ns";
	c->estimator = BENCH_EST_DERIVED;
	return s->axes[2].n > 2;
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	const int64_t cpus = bench_cpus(b);
	const int64_t most =
		(cpus < PARTNER_TEAM_MAX ? cpus : PARTNER_TEAM_MAX) - 1;
	size_t n = 1;

	for (int64_t k = 1; k < most && n < MOST_STEPS - 1; k *= 2)
		s->others[n++] = k;
	s->others[n++] = most > 1 ? most : 1;
	s->axes[0] = (struct bench_axis)AXIS_STR("call", calls);
	s->axes[1] = (struct bench_axis)AXIS_STR("threads", threads);
	s->axes[2] = (struct bench_axis)AXIS_INT("others", s->others);
	s->axes[2].n = n;
	bench_add_axes(b, s->axes, add_point);
	bench_add_axes(b, lines, add_slope);
	for (unsigned int call = 0; call < 5 && n > 2; call++)
		for (unsigned int i = 0; i < n; i++)
			bench_derived_from(b, bench_point(b, lines, call, 0),
					   bench_point(b, s->axes, call,
						       i ? RUNNING : NONE, i));
	return 0;
}

static int run_thread(struct partner *p, void *arg)
{
	struct state *s = arg;
	_Atomic uint64_t *count = &s->loops[p - s->member].count;

	for (uint64_t i = 1; !partner_stopping(p); i++)
		atomic_store_explicit(count, i, memory_order_relaxed);
	return 0;
}

static int sleep_thread(struct partner *p, void *arg)
{
	return partner_meet(p);
}

/* The function calls (shootdowns are some) that CPUs have interrupted each
 * other for, as the kernel counts them. */
static uint64_t interrupts(void)
{
	char line[16384];
	uint64_t sum = 0;
	FILE *f = fopen("/proc/interrupts", "re");

	while (f && fgets(line, sizeof(line), f)) {
		char *at = line + strspn(line, " "), *word;

		if (strncmp(at, "CAL:", 4) != 0)
			continue;
		at += 4;
		while ((word = strsep(&at, " ")))
			sum += strtoull(word, NULL, 10);
	}
	if (f)
		fclose(f);
	return sum;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const unsigned int n = (unsigned int)c->params[2].number;
	struct state *s = state;
	int err = 0;

	if (c->at[0] == MEMBARRIER &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		    0, 0))
		return bench_skip(b, "membarrier: %s", strerror(errno));
	if (c->at[0] == MADVISE)
		err = kernel_needs(b, KERNEL_RESIDENT);
	for (s->n = 0; !err && s->n < n; s->n += !err)
		err = partner_start(b, &s->member[s->n], PARTNER_THREAD,
				    bench_nth_cpu(b, s->n + 1),
				    c->at[1] == RUNNING ? run_thread
							: sleep_thread,
				    s);
	s->counted = false;
	return err;
}

/* A page that is there and is ours, where the call has one, and other threads
 * that run. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (c->at[0] != MEMBARRIER) {
		const int err = mem_map(&s->page, bench_page_bytes(), MEM_4K);

		if (err)
			return bench_fail(b, -err, "map a page");
		mem_store_each(&s->page);
	}
	for (unsigned int i = 0; c->at[1] == RUNNING && i < s->n; i++) {
		const uint64_t seen = atomic_load(&s->loops[i].count);
		int err = 0;

		for (uint64_t k = 1;
		     !err && atomic_load(&s->loops[i].count) == seen; k++)
			err = k % LOOKS ? 0 : partner_check();
		if (err)
			return partner_failed(b, err);
	}
	return 0;
}

/* The node of the page (@to -1), or move it to node @to.  Return: where it is
 * then, or -errno. */
static int move(char *page, int to)
{
	void *pages[] = { page };
	int status = -EIO;

	return syscall(SYS_move_pages, 0, 1, pages, to < 0 ? NULL : &to,
		       &status, MOVE_OURS)
		       ? -errno
		       : status;
}

/* What has to be so after the call. */
static bool happened(const struct state *s, enum call call)
{
	char *at = s->page.base;

	switch (call) {
	case MUNMAP:
		return mem_resident(&s->page) == -ENOMEM;
	case MADVISE:
		return mem_resident(&s->page) == 0;
	case MPROTECT: /* the kernel, too, is refused to write there */
		return mincore(at, 1, (unsigned char *)at) && errno == EFAULT;
	case MIGRATE:
		return move(at, -1) == s->node;
	default:
		return true;
	}
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	const enum timer_method method = bench_timer(b)->method;
	const enum call call = (enum call)c->at[0];
	struct state *s = state;
	uint64_t ticks, before[PARTNER_TEAM_MAX] = { 0 };
	char *at = s->page.base;
	const uint64_t sent = s->counted ? 0 : interrupts();
	unsigned int at_work = 0;
	long bad;

	s->node = bench_nth_node(b, 0);
	if (call == MIGRATE && move(at, -1) == s->node)
		s->node = bench_nth_node(b, 1);
	for (unsigned int i = 0; i < s->n; i++)
		before[i] = atomic_load(&s->loops[i].count);
	switch (call) {
	case MPROTECT:
		TIMER_INTERVAL(method, ticks,
			       bad = mprotect(at, s->page.bytes, PROT_READ));
		break;
	case MUNMAP:
		TIMER_INTERVAL(method, ticks, bad = munmap(at, s->page.bytes));
		break;
	case MADVISE:
		TIMER_INTERVAL(method, ticks,
			       bad = madvise(at, s->page.bytes, MADV_DONTNEED));
		break;
	case MEMBARRIER:
		TIMER_INTERVAL(method, ticks,
			       bad = syscall(SYS_membarrier,
					     MEMBARRIER_CMD_PRIVATE_EXPEDITED,
					     0, 0));
		break;
	default:
		TIMER_INTERVAL(method, ticks,
			       bad = move(at, s->node) != s->node);
	}
	for (unsigned int i = 0; i < s->n; i++)
		at_work += atomic_load(&s->loops[i].count) != before[i];
	if (bad)
		return bench_fail(b, errno, "%s", calls[call]);
	bench_record(b, c, ticks);
	if (!s->counted)
		bench_fact(b, c, "interrupts", (double)(interrupts() - sent));
	s->counted = true;
	bench_proof(b, c, "calls_in_effect", 1, happened(s, call));
	if (c->at[1] == RUNNING)
		bench_purity(b, c, "threads_running", BENCH_MOSTLY, s->n,
			     at_work);
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;

	/* After munmap it is gone, and no other thread has mapped anything. */
	mem_unmap(&s->page);
	return 0;
}

static void stop(struct state *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		partner_stop(&s->member[i]);
	s->n = 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	conclude(b, s, c, 1); /* of an event that failed */
	stop(s);
	return 0;
}

static int derive(struct bench *b, void *state)
{
	const struct state *s = state;

	for (unsigned int call = 0; call < 5; call++) {
		const struct bench_case *c = bench_point(b, lines, call, 0);
		double x[MOST_STEPS], y[MOST_STEPS];
		struct stats_line f;
		size_t n = 0;

		for (unsigned int i = 0; c && i < s->axes[2].n; i++) {
			x[n] = (double)s->others[i];
			y[n] = bench_value(b,
					   bench_point(b, s->axes, call,
						       i ? RUNNING : NONE, i));
			n += isfinite(y[n]);
		}
		if (c && stats_fit_line(&f, x, y, n))
			bench_derive_skip(b, c,
					  "a line needs three points, there "
					  "are %zu",
					  n);
		else if (c)
			bench_derive_within(b, c, f.slope, f.slope_error);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	stop(state);
}

const struct bench_desc bench_desc = {
	.name = "shootdown",
	.many_cpus = true,
	.state_size = sizeof(struct state),
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
