/* SPDX-License-Identifier: MIT */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The kernel's counts of disturbances; clock/gaps.h sees the rest. */

/* Events of the measuring thread and of its partners. */
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

/* One that takes part, and what it did meanwhile; times in ns. */
struct noise_task {
	int cpu;
	int64_t waited, ran;
	/* The values that were read last (noise.c). */
	int fd; /* of its waits; -1: they are not to be had */
	clockid_t clock;
	bool known; /* what it waited */
	int64_t waited_ns, ran_ns;
	int64_t before_ns; /* what it had run when the measurement began */
};

/* noise_waited() - the longest that one of them waited in the last @span_ns
 * while the others on its CPU did not run.  The kernel counts a wait when it
 * ends: one longer than the span without what the task ran had begun before.
 * noise_knows_waits() - whether this kernel counts that.  noise_waits() - from
 * the text of a task's schedstat: how long it has run and has waited for a CPU;
 * false where the kernel does not count and says 0 for all. */
int64_t noise_waited(const struct noise_task *tasks, size_t n, int64_t span_ns);
bool noise_knows_waits(void);
bool noise_waits(const char *schedstat, int64_t *ran_ns, int64_t *waited_ns);

/* noise_partners_begin(), noise_partner_cpu() - around a measurement: the CPU
 * that its partners ran on, if the measuring thread ran on @cpu; -1 where none
 * did or on more than one other CPU. */
void noise_partners_begin(void);
int noise_partner_cpu(int cpu);

/* noise_watch() - a task that takes part, on CPU @cpu; @name: its directory in
 * /proc; @clock: of its run time.  noise_unwatch() - no longer.  noise_alone()
 * - in a new process, which has none of its parent's. */
void noise_watch(const char *name, clockid_t clock, int cpu);
void noise_unwatch(clockid_t clock);
void noise_alone(void);

/* Time that the cpu controller of cgroups took, since the groups were made. */
struct noise_throttle {
	int64_t periods; /* in which a group was held back */
	int64_t ns;	 /* for how long, added over its CPUs */
};

/* noise_throttle_read() - of this process's group and all above it, cgroup v1
 * and v2; zeros if there are none.  @root: "", or a directory with sys/ and
 * proc/ in tests.  Reads files: not for use between samples. */
void noise_throttle_read(struct noise_throttle *t, const char *root);

/* Time taken from two CPUs and from the group, since the machine was
 * started. */
struct noise_taken {
	int64_t stolen[2]; /* by the host: in steps of 10 ms */
	int64_t throttled; /* as periods above */
};

/* noise_taken_read() - of this process and of @cpu, -1: none.  For use around a
 * measurement: 30 us with two CPUs and some groups; a machine of which nothing
 * was ever stolen is asked only once. */
void noise_taken_read(struct noise_taken *t, const int cpu[2]);

/* noise_stolen() - of @cpu, -1: of all, in the text of /proc/stat. */
int64_t noise_stolen(const char *stat, int cpu);

#endif
