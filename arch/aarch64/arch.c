/* SPDX-License-Identifier: MIT */
/* What an aarch64 processor says of itself, and how its clock is to be read. */
#include <string.h>
#include <sys/auxv.h>

#include "arch_ask.h"
#include "counters.h"
#include "timer.h"

#define HWCAP2_ECV_BIT 19 /* <asm/hwcap.h> of Linux 5.15 and later */

/* The counter and its rate are of the architecture: always there, always at
 * one rate. */
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
	if (method == TIMER_CNTVCTSS &&
	    !(getauxval(AT_HWCAP2) >> HWCAP2_ECV_BIT & 1)) {
		*why = "this processor has no CNTVCTSS_EL0 (FEAT_ECV)";
		return false;
	}
	if (method != TIMER_CLOCK && !f->counter) {
		*why = "CNTVCT_EL0 cannot be read here";
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
		*why = "ISB does not hold a long chain back here, so the "
		       "kernel's clock";
		return TIMER_CLOCK;
	}
	*why = "ISB holds a long chain back";
	return TIMER_ISB;
}

/* The processor has no such thing; what the system knows is elsewhere. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE])
{
	memset(signature, 0, ARCH_SIGNATURE);
	return false;
}

/* Arm's guides say 2 to 5, by core; none is assumed. */
double arch_multiply_cycles(void)
{
	return 0;
}

size_t counters_cpuid(struct counters_leaf leaves[COUNTERS_LEAVES])
{
	return 0;
}

const char *counters_no_llc(const char *vendor)
{
	return "the generic cache events of this architecture are those of "
	       "L1: perf stat -e LLC-load-misses";
}
