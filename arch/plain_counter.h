/* SPDX-License-Identifier: MIT */
#ifndef PLAIN_COUNTER_H
#define PLAIN_COUNTER_H

#include <string.h>

#include "arch_ask.h"
#include "counters.h"
#include "timer.h"

/*
 * What arch.c answers (arch_ask.h) where the counter and its rate are of the
 * architecture, always there and always at one rate, and where the processor
 * says nothing of itself to programs.
 */
#define TRAP_READS 64
#define TRAP_TRIES 20

/* One read may be less than a step of the counter, so many are timed. */
void arch_probe(struct timer_features *f)
{
	f->counter = f->fenced = f->invariant = true;
	for (int i = 0; i < TRAP_TRIES; i++) {
		const uint64_t ns = timer_clock_begin();
		const uint64_t first = timer_none_begin();
		uint64_t last = first;
		double each;

		for (int k = 0; k < TRAP_READS; k++)
			last = timer_none_end();
		each = (double)(timer_clock_begin() - ns) / TRAP_READS;
		if ((last - first + TRAP_READS / 2) / TRAP_READS <
		    f->trap_ticks)
			f->trap_ticks =
				(last - first + TRAP_READS / 2) / TRAP_READS;
		if (!i || each < f->trap_ns)
			f->trap_ns = each;
	}
}

/* The processor has no such thing; what the system knows is in
 * machine/identity.c. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE])
{
	memset(signature, 0, ARCH_SIGNATURE);
	return false;
}

/* By core; none is assumed. */
double arch_multiply_cycles(void)
{
	return 0;
}

size_t counters_cpuid(struct counters_leaf leaves[COUNTERS_LEAVES])
{
	return 0;
}

/* @why: where the fence does not hold; where it does; and where each read of
 * the counter traps besides. */
static enum timer_method choose_plain(const struct timer_features *f,
				      const char *const why[3],
				      const char **said)
{
	if (!f->counter || !f->invariant)
		*said = "no counter that can be read, so the kernel's clock";
	else if (!f->fence_holds)
		*said = why[0];
	else
		*said = why[f->trap_ns >= TIMER_TRAP_NS ? 2 : 1];
	return f->counter && f->invariant && f->fence_holds ? TIMER_FENCED
							    : TIMER_CLOCK;
}

#endif
