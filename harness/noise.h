/* SPDX-License-Identifier: MIT */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

#include "timer.h"

/*
 * How much of the CPU's time others took.  Steal time alone does not tell
 * (METHOD 6): a spin on the clock sees every gap, whoever made it.
 */
struct noise {
	uint64_t spun_ticks; /* how long the spins lasted in all */
	uint64_t lost_ticks; /* of which in gaps */
	uint64_t gaps;
	uint64_t longest_ticks;
};

/* noise_gap_ticks() - the least step of a clock of @hz that others made: 1 us,
 * or ten reads of it.  Most are read in some 20 ns; one that is a device's
 * register (hpet, acpi_pm) takes 1 us by itself. */
double noise_gap_ticks(enum timer_method method, double hz);

/* noise_spin() - spin on the clock for @us microseconds and add what is seen
 * to @noise.  A gap is a step of more than
 * noise_gap_ticks(): nothing of our own lasts as long. */
void noise_spin(struct noise *noise, const struct timer *t, unsigned int us);

/* noise_lost() - lost share, 0 to 1; 0 if nothing was spun. */
double noise_lost(const struct noise *noise);

/* noise_grade() - 'A' under 0.1 % lost, 'B' under 1 %, 'C' under 5 %, 'D'. */
char noise_grade(double lost);

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
