/* SPDX-License-Identifier: MIT */
#ifndef NOISE_LOOK_H
#define NOISE_LOOK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "timer.h"

/*
 * Find the users of a CPU's time: a spin on the clock sees every gap, whoever
 * made it, which steal time alone does not (METHOD 6), and counters of the
 * kernel give the causes.
 *
 * After each gap the thread checks whether it was switched out meanwhile: such
 * gaps are other tasks, or the cgroup that held it back.  The remaining ones
 * are interrupts, and time unknown to this kernel: the hypervisor, or firmware.
 */
struct cpu_gaps {
	double spun_ns, lost_ns, longest_ns;
	size_t n;

	double switched_ns; /* in gaps with a switch to another task */
	size_t switched;
	double *plain; /* lengths of the gaps without one, ns */
	size_t nplain;

	/* The kernel's counts meanwhile, for this CPU. */
	double interrupts;
	double steal_ns;     /* in steps of 10 ms */
	double throttled_ns; /* of this process's cgroups */
};

/* The causes of the lost time, ns; they add up to lost_ns. */
enum gap_cause {
	GAP_TASKS,
	GAP_THROTTLED,
	GAP_INTERRUPTS,
	GAP_UNSEEN,
	GAP_CAUSES,
};

/* cpu_gaps_spin() - spin for @ms on the CPU that the calling thread is pinned
 * to; fills all but what the kernel counted.  @t: method and hz are used. */
void cpu_gaps_spin(struct cpu_gaps *g, const struct timer *t, unsigned int ms);

/**
 * cpu_gaps_causes() - divide the lost time.
 * @ns: GAP_CAUSES numbers.
 *
 * Exact for tasks.  A gap without a switch that lasts over a millisecond was
 * no interrupt.  If there are more of the shorter gaps than interrupts, each
 * interrupt is taken to have made one of median length and the rest of the
 * time is unseen: an estimate.
 */
void cpu_gaps_causes(const struct cpu_gaps *g, double *ns);

/**
 * irqs_read() - how many interrupts @cpu has had, of each kind.
 * @root: "", or where proc/ is in tests.
 *
 * Return: an object of counts by name, such as {"LOC": 12, "virtio0-input": 1}.
 */
json_t *irqs_read(const char *root, int cpu);

/* counts_between() - what was added meanwhile, and to *@all the sum; softirqs
 * are no interrupts and are not among them. */
json_t *counts_between(const json_t *before, const json_t *after, double *all);

/**
 * noise_look() - spin for @ms on the measuring CPU (@cpu, or the default if it
 * is negative), then on all others, and print a line of JSON for each.
 * @phase: "before", "between" or "after" the rounds; goes into the line.
 * @round: rounds that are over; the same.
 *
 * Return: an exit status, see err.h.
 */
int noise_look(int cpu, unsigned int ms, const char *phase, uint64_t round);

#endif
