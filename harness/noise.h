/* SPDX-License-Identifier: MIT */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* What the kernel counts of a disturbance; clock/gaps.h sees the rest. */

/* What happened to the measuring thread and to its partners. */
struct noise {
	uint64_t involuntary; /* switches that it did not ask for */
	bool migrated;
	double waited_ns; /* the longest that one of them waited for a CPU that
			   * other work had */
	double ns;	  /* between the two, for who reads a clock */
};

/**
 * noise_begin(), noise_end() - around a sample: what happened between.
 *
 * The kernel counts how long a task that could run had to wait
 * (/proc/PID/schedstat).  Waking up on an idle CPU counts as nothing.  To wait
 * while a partner, a child or another thread of this process runs on the same
 * CPU belongs to the operation.  Files are read only after a switch, so a
 * sample without one costs a system call and no clock: a page fault
 * behind a read of one would take 5 % longer.
 */
void noise_begin(void);
void noise_end(struct noise *seen);

/* What one of them did meanwhile; times in ns. */
struct noise_task {
	int cpu;
	int64_t waited, ran;
};

/* noise_waited() - the longest that one of them waited while the others on its
 * CPU did not run. */
int64_t noise_waited(const struct noise_task *tasks, size_t n);

/* noise_knows_waits() - whether this kernel counts them; after noise_begin().
 */
bool noise_knows_waits(void);

/* noise_read_waits() - from the open file schedstat of a task: how long it has
 * run and has waited for a CPU.  Return: false where the kernel does not count:
 * then it says that all is 0, also what it has run. */
bool noise_read_waits(int fd, int64_t *ran_ns, int64_t *waited_ns);

/**
 * noise_watch() - a task that takes part, on CPU @cpu.
 * @name: its directory in /proc.
 * @clock: of its run time.
 *
 * noise_unwatch() - no longer.  noise_alone() - in a new process, which has
 * none of its parent's.
 */
void noise_watch(const char *name, clockid_t clock, int cpu);
void noise_unwatch(clockid_t clock);
void noise_alone(void);

/* What the cpu controller of cgroups took, since the groups were made. */
struct noise_throttle {
	int64_t periods; /* in which a group was held back */
	int64_t ns;	 /* for how long, added over its CPUs */
};

/* noise_throttle_read() - of this process's group and all above it, cgroup v1
 * and v2; zeros if there are none.  @root: "", or a directory with sys/ and
 * proc/ in tests.  Reads files: not for use between samples. */
void noise_throttle_read(struct noise_throttle *t, const char *root);

/* noise_throttled() - the periods of noise_throttle_read(). */
int64_t noise_throttled(void);

#endif
