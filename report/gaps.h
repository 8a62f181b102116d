/* SPDX-License-Identifier: MIT */
#ifndef GAPS_H
#define GAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "timer.h"

/*
 * Who takes a CPU's time: a spin on the clock sees every gap (METHOD 6), and
 * counters of the kernel tell what the gaps were.
 *
 * After each gap the thread asks whether it was switched out meanwhile: such
 * gaps are other tasks, or the cgroup that held it back.  The others are
 * interrupts, and what no kernel here knows of: the hypervisor, or firmware.
 */
struct gaps {
	double spun_ns, lost_ns, longest_ns;
	size_t n;

	double switched_ns; /* in gaps with a switch to another task */
	size_t switched;
	double *plain; /* lengths of the gaps without one, ns */
	size_t nplain;

	/* What the kernel counted meanwhile, for this CPU. */
	double interrupts;
	double steal_ns;     /* in steps of 10 ms */
	double throttled_ns; /* of this process's cgroups */
	bool hypervisor;
};

/* What took the time, ns; they add up to lost_ns. */
enum gap_cause {
	GAP_TASKS,
	GAP_THROTTLED,
	GAP_INTERRUPTS,
	GAP_UNSEEN,
	GAP_CAUSES,
};

/* gaps_spin() - spin for @ms on the CPU that the calling thread is pinned to;
 * fills all but what the kernel counted.  @t: method and hz are used. */
void gaps_spin(struct gaps *g, const struct timer *t, unsigned int ms);
void gaps_free(struct gaps *g);

/**
 * gaps_causes() - divide the lost time.
 * @ns: GAP_CAUSES numbers.
 *
 * Exact for tasks.  A gap without a switch that lasts over a millisecond was
 * no interrupt.  Of the shorter ones, if there are more than interrupts, each
 * interrupt is taken to have made one of median length and the rest of the
 * time is unseen: an estimate.
 */
void gaps_causes(const struct gaps *g, double *ns);

/* gaps_cause_name() - "tasks", "throttled", "interrupts", "unseen". */
const char *gaps_cause_name(enum gap_cause cause);

#endif
