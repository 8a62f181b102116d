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
 * Measures: ns for one call on one page that has been written to; stat=slope:
 *           for each running thread more.
 * Includes: entering and leaving the kernel, the interrupts of the other CPUs
 *           and the wait for the slowest of them.
 * After:    will-it-scale's and the kernel's own TLB tests; lmbench has none.
 * Needs:    a second CPU for others=1; two NUMA nodes for migrate.
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "lib/map_calls.h"
#include "lib/team.h"
#include "sysfile.h"

#define MOST_STEPS 12

/* $steps: 1, 2, 4 ... all others; of three points or more there is a line. */
static const char points[] =
	"op={mprotect,munmap,madvise,membarrier,migrate} "
	"threads={none,running,asleep} others={0,$steps};"
	"not threads=none others>0; not threads!=none others=0;"
	"needs cpus=others+1; needs $two_nodes if op=migrate;"
	"needs resident if op=madvise;";
static const char slopes[] =
	"op={mprotect,munmap,madvise,membarrier,migrate} stat=slope;"
	"is derived unit=ns;";

struct state {
	struct map_area area;
	struct partner member[TEAM_MOST];
	unsigned int n; /* that were started */
	bool running;	/* else they sleep */
	bool counted;	/* the interrupts of one call of this visit */
	struct {
		_Alignas(64) _Atomic uint64_t count;
	} loops[TEAM_MOST];
};

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	return c->derived || call_choose(c, map_calls);
}

/* Whether a case is on the line that has this @slope. */
static bool is_on(const struct bench_case *c, const struct bench_case *slope)
{
	return case_is(c, "op", case_str(slope, "op")) &&
	       !case_is(c, "threads", "asleep");
}

static void cases(struct bench *b, void *state)
{
	const int64_t most = team_most(b) - 1;
	int64_t steps[MOST_STEPS];
	size_t n = 0;

	for (int64_t k = 1; k < most && n < MOST_STEPS - 1; k *= 2)
		steps[n++] = k;
	steps[n++] = most > 1 ? most : 1;
	bench_set_numbers(b, "steps", BENCH_INT, steps, n);
	bench_need(b, "two_nodes",
		   bench_nodes(b) < 2 ? "needs two NUMA nodes" : NULL);
	bench_points(b, points);
	if (n > 1)
		bench_points(b, slopes);
	BENCH_EACH (b, slope, "stat")
		BENCH_EACH (b, c, "others")
			if (is_on(c, slope))
				bench_derived_from(b, slope, c);
}

static int run_thread(struct partner *p, void *arg)
{
	struct state *s = arg;
	_Atomic uint64_t *count = &s->loops[p - s->member].count;

	for (uint64_t i = 1; !partner_stopping(p); i++)
		atomic_store_explicit(count, i, memory_order_relaxed);
	return 0;
}

/* The function calls (shootdowns are some) that CPUs have interrupted each
 * other for, as the kernel counts them. */
static uint64_t interrupts(void)
{
	char *text = sysfile_text("/proc/interrupts");
	const char *line = field_behind(text, "CAL");
	int64_t sum = 0, n;

	for (unsigned int i = 0;
	     (n = field_number(field_nth(line, i), -1)) >= 0; i++)
		sum += n;
	free(text);
	return (uint64_t)sum;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const unsigned int n = (unsigned int)case_int(c, "others");
	struct state *s = state;
	int err = 0;

	s->area.bytes = bench_page_bytes();
	s->area.touched = true;
	s->running = case_is(c, "threads", "running");
	s->counted = false;
	if (call_is(c, "membarrier") &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		    0, 0))
		return bench_skip(b, "membarrier: %s", strerror(errno));
	for (s->n = 0; !err && s->n < n; s->n += !err)
		err = partner_start(b, &s->member[s->n], PARTNER_THREAD,
				    bench_nth_cpu(b, s->n + 1),
				    s->running ? run_thread : partner_sleep, s);
	return err;
}

/* A page that is there and is ours, where the call has one, and other threads
 * that run. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = map_prepare(b, s, c);

	if (err)
		return err;
	s->area.node = bench_nth_node(b, 0);
	if (call_is(c, "migrate") && mem_node(s->area.at, -1) == s->area.node)
		s->area.node = bench_nth_node(b, 1);
	for (unsigned int i = 0; s->running && i < s->n; i++)
		partner_goes_on(&s->loops[i].count);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	uint64_t ticks, before[TEAM_MOST] = { 0 };
	const uint64_t sent = s->counted ? 0 : interrupts();
	unsigned int at_work = 0;
	bool good;

	for (unsigned int i = 0; i < s->n; i++)
		before[i] = atomic_load(&s->loops[i].count);
	good = call_of(c)->time(s, c, bench_timer(b)->method, &ticks);
	for (unsigned int i = 0; i < s->n; i++)
		at_work += atomic_load(&s->loops[i].count) != before[i];
	if (good && !s->counted)
		bench_fact(b, c, "interrupts", (double)(interrupts() - sent));
	s->counted = true;
	if (good && s->running)
		bench_purity(b, c, "threads_running", BENCH_MOSTLY, s->n,
			     at_work);
	return call_took(b, s, c, good, ticks);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	map_leave(b, state, c); /* of an event that failed */
	partner_stop_all(s->member, s->n);
	s->n = 0;
}

static void derive(struct bench *b, void *state)
{
	BENCH_EACH (b, slope, "stat") {
		const struct bench_case *const line[] = { NULL, slope, NULL };

		bench_derive_line(b, "others", line);
	}
}

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.state_size = sizeof(struct state),
	.point = add_point,
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = map_conclude,
	.leave = leave,
	.derive = derive,
};
