/* SPDX-License-Identifier: MIT */
/*
 * signal - what does it cost to install a handler, to send a signal, to catch
 * it, to get one back from another process, and to catch a protection fault?
 *
 * install is one sigaction(), two handlers by turns.  send_ignored is kill()
 * to oneself of a signal that is ignored: the system call and no delivery;
 * send_self is the same caught by a handler, so the difference is the
 * delivery: building the frame, the handler, and sigreturn.  round_trip sends
 * a signal to another process, which sleeps in sigsuspend(), catches it and
 * sends one back, for which this process sleeps in the same way; place is
 * where the partner is pinned.  fault stores to a page that may only be read:
 * the processor traps, the kernel finds that the store is forbidden and sends
 * SIGSEGV, and the handler returns behind the store.
 *
 * Measures: one sigaction(); one kill(); one signal sent and caught; one round
 *           trip (two signals, two handlers, two switches on one CPU); one
 *           fault caught.
 * Includes: the handler, which counts (some instructions); for round_trip the
 *           wake-up of both processes.
 * After:    lmbench lat_sig install, catch and prot: the same operations (its
 *           handler of prot does not step over the store: it faults again).
 * Needs:    two CPUs for place=other_cpu.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "call.h"
#include "partner.h"

#define OURS	SIGUSR1 /* the signal that is caught and sent */
#define IGNORED SIGUSR2
#define PAGE	4096

static const char points[] =
	"op=round_trip place={same_cpu,other_cpu}; is switches;"
	"op={install,send_ignored,send_self,fault} place=self";

/* Written by handlers, which have no other way to the state. */
static volatile uint64_t caught;
static volatile uintptr_t resume;

struct state {
	uint64_t right;
	struct partner partner;
	unsigned char *page; /* may only be read */
	pid_t self;
	sigset_t blocked, open;	    /* OURS blocked; nothing blocked */
	struct sigaction action[2]; /* installed by turns */
	uint64_t before;
};

static void count(int sig)
{
	caught = caught + 1;
}

static void count_too(int sig)
{
	caught = caught + 1;
}

/* Steps over the store that faulted; any other fault is a real one. */
static void step_over(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	if (!resume) {
		signal(sig, SIG_DFL);
		return;
	}
	caught = caught + 1;
	ARCH_SET_PC(uc, resume);
}

/* The handler that was put in last is the one that is there. */
static bool installed(const struct state *s, uint64_t iters)
{
	struct sigaction now;

	return !sigaction(OURS, NULL, &now) &&
	       now.sa_handler == s->action[~iters & 1].sa_handler;
}

TIMER_INLINE bool fault_once(struct state *s)
{
	arch_store_marked(s->page, &resume);
	resume = 0;
	return true;
}

/* Send one, and sleep until one more has come. */
static bool trip(struct state *s)
{
	const uint64_t before = caught;

	if (kill(s->partner.pid, OURS))
		return false;
	while (caught == before)
		sigsuspend(&s->open);
	return true;
}

/* The partner: answer each signal with one. */
static int answer(struct partner *p, void *arg)
{
	struct state *s = arg;
	uint64_t seen = caught = 0;

	do {
		while (caught == seen)
			sigsuspend(&s->open);
		seen++;
		atomic_store_explicit(&p->page->answers, seen,
				      memory_order_relaxed);
	} while (!kill(s->self, OURS));
	return -errno;
}

#define CALL_LOCALS struct state *const s CALL_LOCAL = state;
#define CALLS(X)                                                              \
	X(LOOP, round_trip, trip(s), caught - s->before == iters)             \
	X(LOOP, install, !sigaction(OURS, &s->action[i & 1], NULL),           \
	  installed(s, iters))                                                \
	X(LOOP, send_ignored, !kill(s->self, IGNORED), caught == s->before)   \
	X(LOOP, send_self, !kill(s->self, OURS), caught - s->before == iters) \
	X(LOOP, fault, fault_once(s), caught - s->before == iters)
CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	return call_choose(c, calls);
}

static int setup(struct bench *b, void *state)
{
	struct sigaction fault = { .sa_sigaction = step_over,
				   .sa_flags = SA_SIGINFO };
	struct state *s = state;

	s->self = getpid();
	s->action[0].sa_handler = count;
	s->action[1].sa_handler = count_too;
	s->page =
		mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s->page == MAP_FAILED)
		return bench_fail(b, ENOMEM, "map a page");
	BENCH_KEEP(*(volatile unsigned char *)s->page); /* mapped from now on */
	sigemptyset(&s->open);
	sigemptyset(&s->blocked);
	sigaddset(&s->blocked, OURS);
	return sigaction(OURS, &s->action[0], NULL) ||
			       signal(IGNORED, SIG_IGN) == SIG_ERR ||
			       sigaction(SIGSEGV, &fault, NULL)
		       ? bench_fail(b, errno, "install handlers")
		       : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (!call_is(c, "round_trip"))
		return 0;
	/* Blocked but in sigsuspend(): none can come between the look at the
	 * count and the sleep.  The partner inherits it. */
	sigprocmask(SIG_BLOCK, &s->blocked, NULL);
	return partner_start(b, &s->partner, PARTNER_PROCESS,
			     bench_partner(b, c->place), answer, s);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->before = caught;
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;

	s->partner.asked += iters;
	call_conclude(b, state, c, iters);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	partner_leave(b, &s->partner, c);
	sigprocmask(SIG_UNBLOCK, &s->blocked, NULL);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = add_point,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
};
