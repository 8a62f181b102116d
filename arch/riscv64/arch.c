/* SPDX-License-Identifier: MIT */
/* What a riscv64 processor says of itself, and how its clock is to be read. */
#include <string.h>

#include "arch_ask.h"
#include "counters.h"
#include "timer.h"

/* The counter and its rate are of the platform: always there, always at one
 * rate. */
void arch_probe(struct timer_features *f)
{
	f->counter = f->fenced = f->invariant = true;
	for (int i = 0; i < 20; i++) {
		const uint64_t t0 = timer_none_begin();
		const uint64_t t = timer_none_end() - t0;

		if (t < f->trap_ticks)
			f->trap_ticks = t;
	}
}

bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why)
{
	if (method != TIMER_CLOCK && !f->counter) {
		*why = "the counter `time` cannot be read here";
		return false;
	}
	return true;
}

enum timer_method timer_choose(const struct timer_features *f, const char **why)
{
	if (!f->counter || !f->invariant) {
		*why = "no counter that can be read, so the kernel's clock";
		return TIMER_CLOCK;
	}
	if (!f->fence_holds) {
		*why = "FENCE does not hold RDTIME back here, so the kernel's "
		       "clock";
		return TIMER_CLOCK;
	}
	*why = "FENCE holds a long chain back";
	return TIMER_FENCE;
}

/* The processor has no such thing. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE])
{
	memset(signature, 0, ARCH_SIGNATURE);
	return false;
}

double arch_multiply_cycles(void)
{
	return 0; /* by core; none is assumed */
}

size_t counters_cpuid(struct counters_leaf leaves[COUNTERS_LEAVES])
{
	return 0;
}

const char *counters_no_llc(const char *vendor)
{
	return NULL;
}
