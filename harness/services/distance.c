/* SPDX-License-Identifier: MIT */
#include "distance.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define MOST_LOADS ((uint64_t)1 << 35) /* within an answer: many seconds */

#define SERIES 4
#define TRIPS  32 /* in a series */

/* The line is the first of a page that holds nothing else: the prefetcher may
 * bring its neighbour along. */
static struct {
	_Alignas(4096) _Atomic uint64_t line;
	_Alignas(4096) char stack[16384];
} other;

uint64_t distance_answer(_Atomic uint64_t *line)
{
	uint64_t n = 0, seen;

	for (;;) {
		do
			seen = atomic_load_explicit(line, memory_order_acquire);
		while (!(seen & 1));
		if (seen == DISTANCE_LAST)
			return n;
		atomic_store_explicit(line, seen + 1, memory_order_release);
		n++;
	}
}

bool distance_trips(_Atomic uint64_t *line, uint64_t n)
{
	uint64_t turn = atomic_load_explicit(line, memory_order_relaxed);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t left = MOST_LOADS;

		atomic_store_explicit(line, turn + 1, memory_order_release);
		turn += 2;
		while (atomic_load_explicit(line, memory_order_acquire) != turn)
			if (!--left)
				return false;
	}
	return true;
}

/* It may run before its maker, on whose CPU it begins, has moved it; and it
 * must not spin for ever if that one is killed. */
static int answer(void *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != *(const pid_t *)arg)
		return 1;
	while (!atomic_load(&other.line))
		sched_yield();
	distance_answer(&other.line);
	return 0;
}

static pid_t make_other(pid_t *maker)
{
	sigset_t all, old;
	pid_t pid;

	/* The mask is inherited: handlers are not for its stack. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = clone(answer, other.stack + sizeof(other.stack),
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND, maker);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return pid;
}

double distance_ns(int cpu)
{
	double least = INFINITY;
	pid_t pid, maker = getpid();
	bool good;

	atomic_store(&other.line, 0);
	pid = make_other(&maker);
	if (pid < 0)
		return NAN;
	good = !bench_bind(pid, &cpu, 1);
	for (int i = 0; good && i < SERIES; i++) {
		const uint64_t from = timer_clock_begin();

		good = distance_trips(&other.line, TRIPS);
		least = fmin(least, (double)(timer_clock_end() - from));
	}
	atomic_store(&other.line, DISTANCE_LAST);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	return good && least > 0 ? least / TRIPS : NAN;
}
