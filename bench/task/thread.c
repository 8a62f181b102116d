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
 * The cold figure of a row is its first thread in a process run.
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
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "partner.h"

/* The state of a case. */
struct thread_case {
	pthread_attr_t attr;
	size_t stack_bytes; /* with the default filled in */
	bool fresh;
	bool first;	/* to the smaller of both ends */
	uintptr_t last; /* where the stack of the last thread was */
};

/* A thread's report of itself. */
struct thread_report {
	uint64_t end;
	uintptr_t stack;
	pid_t tid;
};

struct thread_state {
	enum timer_method method;
	struct thread_report report;
	/* The rows that get samples in this visit, too, or NULL. */
	const struct bench_case *to_thread, *to_parent;
	char *mapping; /* the fresh stack, while there is one */
	long faults;   /* before the event */
	int joined;    /* threads of this event that ended */
};

static const char points[] =
	"stack={default,'64K'} memory={reused,fresh}"
	" stat={create_join,smaller,to_thread,to_parent};"
	"is derived of=[stat=smaller] if stat={to_thread,to_parent};"
	"needs faults if memory=fresh";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct thread_case *p = c->data;
	int err = pthread_attr_init(&p->attr);

	p->fresh = case_is(c, "memory", "fresh");
	p->first = case_is(c, "stat", "smaller");
	if (!err && case_is(c, "stack", "64K"))
		err = pthread_attr_setstacksize(&p->attr, 64ul * 1024);
	if (!err)
		err = pthread_attr_getstacksize(&p->attr, &p->stack_bytes);
	if (err && !c->skip)
		c->skip = "no stack is as small here (PTHREAD_STACK_MIN)";
	return true;
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
static int map_stack(struct thread_state *s, struct thread_case *p)
{
	const size_t guard = bench_page_bytes();
	void *at = mmap(NULL, p->stack_bytes + guard, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE,
			-1, 0);

	if (at == MAP_FAILED)
		return errno;
	s->mapping = at;
	if (mprotect(s->mapping + guard, p->stack_bytes,
		     PROT_READ | PROT_WRITE))
		return errno;
	return pthread_attr_setstack(&p->attr, s->mapping + guard,
				     p->stack_bytes);
}

static void unmap_stack(struct thread_state *s, const struct thread_case *p)
{
	if (s->mapping)
		munmap(s->mapping, p->stack_bytes + bench_page_bytes());
	s->mapping = NULL;
}

static int create(struct thread_state *s, struct thread_case *p,
		  pthread_t *thread)
{
	const int err = p->fresh ? map_stack(s, p) : 0;

	return err ? err : pthread_create(thread, &p->attr, begin_thread, s);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;

	s->method = bench_timer(b)->method;
	s->to_thread = bench_beside(b, c, "stat=to_thread");
	s->to_parent = bench_beside(b, c, "stat=to_parent");
	return 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;

	s->report = (struct thread_report) { 0 };
	s->joined = 0;
	s->faults = bench_usage(RUSAGE_SELF).ru_minflt;
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct thread_state *s = state;
	struct thread_case *p = c->data;
	uint64_t begin, end, there, here;
	pthread_t thread;
	int err;

	begin = timer_begin(s->method);
	err = create(s, p, &thread);
	end = p->first ? timer_end(s->method) : 0;
	if (!err)
		s->joined += pthread_join(thread, NULL) == 0;
	unmap_stack(s, p);
	end = p->first ? end : timer_end(s->method);
	if (err)
		return partner_refused(b, err, "make a thread");
	here = end - begin;
	there = s->report.end - begin;
	if (!p->first) {
		bench_record(b, c, here);
		return 0;
	}
	bench_record(b, s->to_parent, here);
	bench_record(b, s->to_thread, there);
	bench_record(b, c, there < here ? there : here);
	return 0;
}

static void give_evidence(struct bench *b, const struct bench_case *c,
			  const struct thread_state *s,
			  const struct thread_case *p)
{
	const bool ran = s->joined == 1 && s->report.tid > 0 &&
			 s->report.tid != getpid();

	bench_proof(b, c, "threads_started", 1, ran);
	bench_fact(b, c, "stack_bytes", (double)p->stack_bytes);
	if (p->fresh)
		bench_proof(b, c, "fresh_stacks_faulted_in", 1,
			    bench_usage(RUSAGE_SELF).ru_minflt > s->faults);
	else if (p->last)
		bench_purity(b, c, "stacks_reused", BENCH_MOSTLY, 1,
			     s->report.stack == p->last);
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct thread_state *s = state;
	struct thread_case *p = c->data;

	give_evidence(b, c, s, p);
	if (p->first) {
		give_evidence(b, s->to_thread, s, p);
		give_evidence(b, s->to_parent, s, p);
	}
	p->last = s->report.stack;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct thread_state),
	.case_state_size = sizeof(struct thread_case),
	.points = points,
	.point = point,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
};
