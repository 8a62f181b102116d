/* SPDX-License-Identifier: MIT */
/* An aarch64 processor's description of itself, and how its clock is to be
 * read. */
#include <sys/auxv.h>

#include "arch_ask.h"

#define PLAIN_COUNTER "CNTVCT_EL0"
#define PLAIN_FENCE   "ISB"
#define PLAIN_TRAP \
	"each read of the counter traps to the hypervisor or the kernel"

#define HWCAP2_ECV_BIT 19 /* <asm/hwcap.h> of Linux 5.15 and later */

static const char *missing(enum timer_method method)
{
	return method == TIMER_CNTVCTSS &&
			       !(getauxval(AT_HWCAP2) >> HWCAP2_ECV_BIT & 1)
		       ? "this processor has no CNTVCTSS_EL0 (FEAT_ECV)"
		       : NULL;
}

#include "plain_counter.h"

const char *arch_no_llc(const char *vendor)
{
	return "the generic cache events of this architecture are those of "
	       "L1: perf stat -e LLC-load-misses";
}
