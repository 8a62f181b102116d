/* SPDX-License-Identifier: MIT */
/* What an aarch64 processor says of itself, and how its clock is to be read. */
#include <sys/auxv.h>

#include "plain_counter.h"

#define HWCAP2_ECV_BIT 19 /* <asm/hwcap.h> of Linux 5.15 and later */

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
	static const char *const reasons[] = {
		"ISB does not hold a long chain back here, so the kernel's "
		"clock",
		"ISB holds a long chain back",
		"ISB holds a long chain back; each read of the counter traps "
		"to "
		"the hypervisor or the kernel"
	};

	return choose_plain(f, reasons, why);
}

const char *counters_no_llc(const char *vendor)
{
	return "the generic cache events of this architecture are those of "
	       "L1: perf stat -e LLC-load-misses";
}
