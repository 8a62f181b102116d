/* SPDX-License-Identifier: MIT */
/*
 * Makes processes on request and times it: a process as small as libc allows,
 * for the price of fork depends on its caller's size.  Requests come on fd 0,
 * replies go to fd 1 (bench/task/lib/proc_spawn.h); it ends with the end of
 * its input. Its CPU and scheduling are inherited.
 *
 * A child takes a fault for each 64 KiB of this program that it executes in: 4
 * KiB more of code in it have moved libc so that a fork took 7 faults for 8,
 * and 8 % fewer instructions.  Look at that count when this changes.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "../lib/proc_spawn.h"

int main(int argc, char *argv[])
{
	struct proc_request q;
	struct proc r = { 0 };
	struct rusage u;
	struct timeval sum;
	void *shared = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	/* Ctrl-C goes to all of a terminal's group: who asks decides. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (shared == MAP_FAILED || argc < 2)
		return 1;
	r.program = argv[1];
	r.child_end = shared;
	while (write(1, &r, sizeof(r)) == sizeof(r) &&
	       read(0, &q, sizeof(q)) == sizeof(q)) {
		proc_make(&r, q.way, (enum timer_method)q.method);
		getrusage(RUSAGE_CHILDREN, &u);
		timeradd(&u.ru_utime, &u.ru_stime, &sum);
		r.children_ns = sum.tv_sec * 1000000000ll + sum.tv_usec * 1000;
	}
	return 0;
}
