/* SPDX-License-Identifier: MIT */
#ifndef PLAIN_COUNTER_H
#define PLAIN_COUNTER_H

#include <string.h>

/*
 * The answers of arch.c (arch_ask.h) where the counter and its rate belong to
 * the architecture, always there and always at one rate, and where programs
 * cannot identify the processor.  Included after the words for counter, fence
 * and trap, and missing(): why this processor lacks a method, or NULL.
 */
void arch_probe(struct timer_features *f)
{
	f->counter = f->fenced = f->invariant = true;
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

bool arch_cpuid(uint32_t leaf, uint32_t regs[4])
{
	return false;
}

bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why)
{
	const char *said = missing(method);

	if (!said && method != TIMER_CLOCK && !f->counter)
		said = PLAIN_COUNTER " cannot be read here";
	if (said)
		*why = said;
	return !said;
}

enum timer_method timer_choose(const struct timer_features *f, const char **why)
{
	if (!f->counter || !f->invariant)
		*why = "no counter that can be read, so the kernel's clock";
	else if (!f->fence_holds)
		*why = PLAIN_FENCE " does not hold a long chain back here, so "
				   "the kernel's clock";
	else if (f->trap_ns < TIMER_TRAP_NS)
		*why = PLAIN_FENCE " holds a long chain back";
	else
		*why = PLAIN_FENCE " holds a long chain back; " PLAIN_TRAP;
	return f->counter && f->invariant && f->fence_holds ? TIMER_FENCED
							    : TIMER_CLOCK;
}

#endif
