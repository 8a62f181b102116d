/* SPDX-License-Identifier: MIT */
#ifndef RING0_H
#define RING0_H

#include <asm/arch_timer.h>
#include <asm/cpufeature.h>
#include <asm/daifflags.h>
#include <asm/neon.h>
#include <asm/sysreg.h>

#include "timer_asm.h"

/* The interface that kernel/ needs of the architecture: kernel/cert.h. */

/* ECV is the uppermost field. */
#define RING0_NO_ECV                                        \
	(read_sanitised_ftr_reg(SYS_ID_AA64MMFR0_EL1) >> 60 \
		 ? NULL                                     \
		 : "this processor has no CNTVCTSS_EL0 (FEAT_ECV)")
#define RING0_METHODS(X)    \
	X(NONE, none, NULL) \
	X(ISB, isb, NULL)   \
	X(CNTVCTSS, cntvctss, RING0_NO_ECV)

#define RING0_NO_HZ "the firmware states no rate of the counter"

TIMER_INLINE uint64_t ring0_hz(void)
{
	return arch_timer_get_cntfrq();
}

/* All of DAIF: a kernel that masks interrupts by their priority lets some
 * through local_irq_save(). */
#define ring0_mask(flags)   ((flags) = local_daif_save())
#define ring0_unmask(flags) local_daif_restore(flags)
#define ring0_fpu_begin	    kernel_neon_begin
#define ring0_fpu_end	    kernel_neon_end

#endif
