/* SPDX-License-Identifier: MIT */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

/* What the kernel counts of a disturbance; clock/gaps.h sees the rest. */

/* Counters of this thread that tell of disturbance. */
struct noise_counts {
	int64_t involuntary; /* context switches that it did not ask for */
	int cpu;
};

/* noise_read() - involuntary switches and CPU; one system call. */
void noise_read(struct noise_counts *counts);

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
