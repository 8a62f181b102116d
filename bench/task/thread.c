/* SPDX-License-Identifier: MIT */
/*
 * thread - what does it cost to make a thread, and to see it end?
 *
 * One interval begins just before pthread_create and is ended twice: by the
 * first instruction of the new thread and by the return in its maker, on the
 * same CPU; the smaller of the two is the figure of the CSE 221 report.
 * create_join lasts until the thread was joined.  With memory=reused libc
 * gives the stack of a thread that has ended; with memory=fresh the stack is
 * mapped, given a guard page and, for create_join, unmapped inside the
 * interval, as libc does when it has none left.
 *
 * The cold figure of a row is its first thread in an invocation.
 *
 * Measures: ns from before pthread_create to the new thread (to_thread), to
 *           its return (to_parent), the smaller of both, and to after
 *           pthread_join (create_join).
 * Includes: libc's own work; for memory=fresh mmap, mprotect, munmap and the
 *           first touch of the stack.
 * After:    CSE 221 report section 3.5, libMicro pthread_create, osbench.
 * Needs:    nothing.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "partner.h"

#define SMALL_STACK (64ul * 1024)

/* One kind of stack, whose rows are the figures. */
struct stack_kind {
	bool fresh;
	pthread_attr_t attr;
	bool attr_ok;
	bool too_small;	    /* PTHREAD_STACK_MIN of this architecture is more */
	size_t stack_bytes; /* with the default filled in */
	uintptr_t last;	    /* where the stack of the last thread was */
	uint64_t events, thread_firsts;
};

/* What a thread says of itself. */
struct thread_report {
	uint64_t end;
	uintptr_t stack;
	pid_t tid;
};

enum { DEFAULT, SMALL, STACKS };

struct thread_state {
	struct stack_kind kind[STACKS][2]; /* reused, fresh */
	enum timer_method method;
	struct thread_report report;
	/* Of this visit; the rows that get samples in it, or NULL. */
	struct stack_kind *now;
	bool first;
	const struct bench_case *to_thread, *to_parent;
	char *mapping; /* the fresh stack, while there is one */
	long faults;   /* before the event */
	int joined;    /* threads of this event that ended */
};

static const char points[] =
	"stack={default,'64K'} memory={reused,fresh}"
	" figure={create_join,smaller,to_thread,to_parent};"
	"is derived of=[figure=smaller] if figure={to_thread,to_parent};"
	"needs faults if memory=fresh";

static int setup(struct bench *b, void *state)
{
	struct thread_state *s = state;
	char why[160];

	if (partner_room(why, sizeof(why)) < 1)
		return bench_skip(b, "no room for a thread: %s", why);
	s->method = bench_timer(b)->method;
	for (int k = 0; k < STACKS * 2; k++) {
		struct stack_kind *kind = &s->kind[k / 2][k % 2];
		int err = pthread_attr_init(&kind->attr);

		kind->fresh = k % 2;
		kind->attr_ok = !err;
		if (!err && k / 2 == SMALL)
			err = pthread_attr_setstacksize(&kind->attr,
							SMALL_STACK);
		kind->too_small = err == EINVAL;
		if (kind->too_small)
			continue;
		if (!err)
			err = pthread_attr_getstacksize(&kind->attr,
							&kind->stack_bytes);
		if (err)
			return bench_fail(b, err, "set the size of a stack");
	}
	return 0;
}

/* The new thread: the clock first, then what proves that it ran. */
static void *begin_thread(void *arg)
{
	struct thread_state *s = arg;
	const uint64_t end = timer_end(s->method);

	s->report.end = end;
	s->report.stack = (uintptr_t)__builtin_frame_address(0);
	s->report.tid = (pid_t)syscall(SYS_gettid);
	return NULL;
}

/* The same calls that libc makes for a stack that it does not have: reserve
 * it with the guard page, then allow all but that. */
static int map_stack(struct thread_state *s, struct stack_kind *kind)
{
	const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, kind->stack_bytes + guard, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE,
		       -1, 0);

	if (p == MAP_FAILED)
		return errno;
	s->mapping = p;
	if (mprotect(s->mapping + guard, kind->stack_bytes,
		     PROT_READ | PROT_WRITE))
		return errno;
	return pthread_attr_setstack(&kind->attr, s->mapping + guard,
				     kind->stack_bytes);
}

static void unmap_stack(struct thread_state *s, const struct stack_kind *kind)
{
	if (s->mapping)
		munmap(s->mapping,
		       kind->stack_bytes + (size_t)sysconf(_SC_PAGESIZE));
	s->mapping = NULL;
}

static int create(struct thread_state *s, struct stack_kind *kind,
		  pthread_t *thread)
{
	const int err = kind->fresh ? map_stack(s, kind) : 0;

	return err ? err : pthread_create(thread, &kind->attr, begin_thread, s);
}

static int create_and_join(struct thread_state *s, struct stack_kind *kind)
{
	pthread_t thread;
	const int err = create(s, kind, &thread);

	if (err)
		return err;
	s->joined += pthread_join(thread, NULL) == 0;
	unmap_stack(s, kind);
	return 0;
}

static long minor_faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;

	s->now = &s->kind[case_is(c, "stack", "64K")]
			 [case_is(c, "memory", "fresh")];
	s->first = case_is(c, "figure", "smaller");
	s->to_thread = bench_beside(b, c, "figure=to_thread");
	s->to_parent = bench_beside(b, c, "figure=to_parent");
	return s->now->too_small
		       ? bench_skip(b, "no stack is as small here: %ld bytes",
				    sysconf(_SC_THREAD_STACK_MIN))
		       : 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;

	s->report = (struct thread_report) { 0 };
	s->joined = 0;
	s->faults = minor_faults();
	return 0;
}

static int sample_first(struct bench *b, struct thread_state *s,
			const struct bench_case *c)
{
	struct stack_kind *kind = s->now;
	uint64_t begin, end, there, here;
	pthread_t thread;
	int err;

	begin = timer_begin(s->method);
	err = create(s, kind, &thread);
	end = timer_end(s->method);
	if (err) {
		unmap_stack(s, kind);
		return partner_refused(b, err, "make a thread");
	}
	s->joined += pthread_join(thread, NULL) == 0;
	unmap_stack(s, kind);
	here = end - begin;
	there = s->report.end - begin;
	bench_record(b, s->to_parent, here);
	bench_record(b, s->to_thread, there);
	bench_record(b, c, there < here ? there : here);
	kind->events++;
	kind->thread_firsts += there < here;
	bench_fact(b, c, "thread_ran_first",
		   (double)kind->thread_firsts / (double)kind->events);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;
	struct stack_kind *kind = s->now;
	uint64_t ticks;
	int err;

	if (s->first)
		return sample_first(b, s, c);
	TIMER_INTERVAL(s->method, ticks, err = create_and_join(s, kind));
	if (err) {
		unmap_stack(s, kind);
		return partner_refused(b, err, "make a thread");
	}
	bench_record(b, c, ticks);
	return 0;
}

static void give_evidence(struct bench *b, const struct bench_case *c,
			  const struct thread_state *s,
			  const struct stack_kind *kind)
{
	const bool ran = s->joined == 1 && s->report.tid > 0 &&
			 s->report.tid != getpid();

	bench_proof(b, c, "threads_started", 1, ran);
	bench_fact(b, c, "stack_bytes", (double)kind->stack_bytes);
	if (kind->fresh)
		bench_proof(b, c, "fresh_stacks_faulted_in", 1,
			    minor_faults() > s->faults);
	else if (kind->last)
		bench_purity(b, c, "stacks_reused", BENCH_MOSTLY, 1,
			     s->report.stack == kind->last);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct thread_state *s = state;
	struct stack_kind *kind = s->now;

	give_evidence(b, c, s, kind);
	if (s->first) {
		give_evidence(b, s->to_thread, s, kind);
		give_evidence(b, s->to_parent, s, kind);
	}
	kind->last = s->report.stack;
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct thread_state *s = state;

	for (int k = 0; k < STACKS * 2; k++)
		if (s->kind[k / 2][k % 2].attr_ok)
			pthread_attr_destroy(&s->kind[k / 2][k % 2].attr);
}

const struct bench_desc bench_desc = {
	.name = "thread",
	.state_size = sizeof(struct thread_state),
	.points = points,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.teardown = teardown,
};
