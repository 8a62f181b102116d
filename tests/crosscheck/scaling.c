// SPDX-License-Identifier: MIT
/*
 * Calls of getppid() in a second by one process on each of the given CPUs, as
 * will-it-scale counts them: each adds to a counter of its own for ever, and
 * another process reads them all every 4 ms, and takes the median.  A call
 * counts if its answer is right, so that a turn of the loop has as many
 * instructions as one of the suite's, with which on purpose it shares nothing.
 * Usage: scaling MILLISECONDS CPU...
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plain.h"

#define MOST	     64
#define MOST_WINDOWS 1000
#define WINDOW_MS    4

struct counter {
	_Alignas(64) volatile unsigned long calls;
};

static void count(struct counter *mine, int cpu)
{
	const pid_t parent = getppid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pin(cpu))
		_exit(1);
	for (;;) {
		if (getppid() == parent)
			mine->calls++;
	}
}

static void nap(double ms)
{
	const struct timespec t = { .tv_sec = (time_t)(ms / 1000),
				    .tv_nsec = (long)ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static unsigned long sum(const struct counter *c, int n)
{
	unsigned long all = 0;

	for (int i = 0; i < n; i++)
		all += c[i].calls;
	return all;
}

int main(int argc, char **argv)
{
	const int n = argc - 2;
	struct counter *c =
		mmap(NULL, MOST * sizeof(*c), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static double rate[MOST_WINDOWS];
	const int windows = argc > 1 ? atoi(argv[1]) / WINDOW_MS : 0;
	pid_t child[MOST];

	if (n < 1 || n > MOST || c == MAP_FAILED || windows < 1 ||
	    windows > MOST_WINDOWS)
		return 2;
	for (int i = 0; i < n; i++) {
		child[i] = fork();
		if (child[i] == 0)
			count(&c[i], atoi(argv[i + 2]));
	}
	nap(20);
	for (int i = 0; i < windows; i++) {
		const unsigned long before = sum(c, n);
		const double from = now();

		nap(WINDOW_MS);
		rate[i] = (double)(sum(c, n) - before) / (now() - from) * 1e9;
	}
	for (int i = 0; i < n; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	qsort(rate, (size_t)windows, sizeof(*rate), ascending);
	printf("%.1f\n", rate[windows / 2]);
	return 0;
}
