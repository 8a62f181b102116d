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
 * sends one back, for which this process sleeps in the same way; place says
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
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "partner.h"

#define OURS	SIGUSR1 /* the signal that is caught and sent */
#define IGNORED SIGUSR2
#define PAGE	4096

/* Written by handlers, which have no other way to the state. */
static volatile uint64_t caught;
static volatile uintptr_t resume;

/* Memory of both processes: each counts what it has caught. */
struct shared {
	_Alignas(64) _Atomic uint64_t partner_caught;
};

struct state {
	struct partner partner;
	struct shared *shared;
	unsigned char *page; /* may only be read */
	pid_t self;
	sigset_t blocked, open; /* OURS blocked; nothing blocked */
	uint64_t before, errors;
	uint64_t trips; /* since the visit began */
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

static int install(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	return sigaction(sig, &action, NULL) ? -errno : 0;
}

static int run_install(struct bench *b, void *state, const struct bench_case *c,
		       uint64_t iters)
{
	struct sigaction action[2] = { { .sa_handler = count },
				       { .sa_handler = count_too } };
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->errors += sigaction(OURS, &action[i & 1], NULL) != 0;
	return 0;
}

static int run_ignored(struct bench *b, void *state, const struct bench_case *c,
		       uint64_t iters)
{
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->errors += kill(s->self, IGNORED) != 0;
	return 0;
}

static int run_self(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->errors += kill(s->self, OURS) != 0;
	return 0;
}

static int run_fault(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++)
		arch_store_marked(s->page, &resume);
	resume = 0;
	return 0;
}

/* Sleep until one more signal has come. */
static int await(struct state *s, uint64_t before)
{
	while (caught == before) {
		int err;

		sigsuspend(&s->open);
		if (caught != before)
			break;
		err = partner_check();
		if (err)
			return err;
	}
	return 0;
}

static int run_round_trip(struct bench *b, void *state,
			  const struct bench_case *c, uint64_t iters)
{
	struct state *s = state;

	for (uint64_t i = 0; i < iters; i++) {
		const uint64_t before = caught;
		int err =
			kill(s->partner.pid, OURS) ? -errno : await(s, before);

		if (err)
			return partner_failed(b, err);
	}
	s->trips += iters;
	return 0;
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
		atomic_store_explicit(&s->shared->partner_caught, seen,
				      memory_order_relaxed);
	} while (!kill(s->self, OURS));
	return -errno;
}

static const struct op {
	const char *name;
	bench_run_fn *run;
} ops[] = {
	{ "round_trip", run_round_trip }, { "install", run_install },
	{ "send_ignored", run_ignored },  { "send_self", run_self },
	{ "fault", run_fault },
};

static const char points[] =
	"op=round_trip place={same_cpu,other_cpu}; is placed switches;"
	"op={install,send_ignored,send_self,fault} place=self; is placed";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	c->run = CASE_OF(c, "op", ops)->run;
	return true;
}

static int setup(struct bench *b, void *state)
{
	struct sigaction fault = { .sa_sigaction = step_over,
				   .sa_flags = SA_SIGINFO };
	struct state *s = state;
	int err;

	s->self = getpid();
	s->shared = partner_share(sizeof(*s->shared));
	s->page =
		mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!s->shared || s->page == MAP_FAILED)
		return bench_fail(b, ENOMEM, "map a page");
	BENCH_KEEP(*(volatile unsigned char *)s->page); /* mapped from now on */
	sigemptyset(&s->open);
	sigemptyset(&s->blocked);
	sigaddset(&s->blocked, OURS);
	err = install(OURS, count);
	if (!err)
		err = install(IGNORED, SIG_IGN);
	if (!err && sigaction(SIGSEGV, &fault, NULL))
		err = -errno;
	return err ? bench_fail(b, -err, "install handlers") : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const int cpu = c->place == BENCH_SAME_CPU ? bench_cpu(b)
						   : bench_partner(b, c->place);

	if (c->run != run_round_trip)
		return 0;
	s->trips = 0;
	/* Blocked but in sigsuspend(): none can come between the look at the
	 * count and the sleep.  The partner inherits it. */
	sigprocmask(SIG_BLOCK, &s->blocked, NULL);
	atomic_store(&s->shared->partner_caught, 0);
	return partner_start(b, &s->partner, PARTNER_PROCESS, cpu, answer, s);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->errors = 0;
	s->before = caught;
	return 0;
}

/* The handler that run_install() put in last is the one that is there. */
static bool installed(uint64_t iters)
{
	struct sigaction now;

	if (sigaction(OURS, NULL, &now))
		return false;
	return now.sa_handler == (iters & 1 ? count : count_too);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct state *s = state;
	const double due = (double)iters;
	const double seen = (double)(caught - s->before);

	if (c->run == run_install)
		bench_proof(b, c, "installed", due,
			    installed(iters) ? due - (double)s->errors : 0);
	else if (c->run == run_ignored)
		bench_proof(b, c, "sent_not_caught", due,
			    due - (double)s->errors - seen);
	else
		bench_proof(b, c, "caught", due, seen);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	double answered;

	if (c->run != run_round_trip)
		return 0;
	answered = (double)atomic_load(&s->shared->partner_caught);
	bench_proof(b, c, "partner_caught", (double)s->trips, answered);
	partner_seen(b, c, &s->partner);
	partner_stop(&s->partner);
	sigprocmask(SIG_UNBLOCK, &s->blocked, NULL);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	partner_stop(&s->partner);
	sigprocmask(SIG_UNBLOCK, &s->blocked, NULL);
	partner_unshare(s->shared, sizeof(*s->shared));
}

const struct bench_desc bench_desc = {
	.name = "signal",
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
