/* SPDX-License-Identifier: MIT */
#ifndef RING0_H
#define RING0_H

#include <linux/irqflags.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/tsc.h>

#include "timer_asm.h"

/* The interface that kernel/ needs of the architecture: kernel/cert.h. */

#define RING0_NO_RDTSCP                          \
	(boot_cpu_has(X86_FEATURE_RDTSCP) ? NULL \
					  : "this processor has no RDTSCP")
#define RING0_METHODS(X)                   \
	X(NONE, none, NULL)                \
	X(CPUID2, cpuid2, NULL)            \
	X(CPUID, cpuid, RING0_NO_RDTSCP)   \
	X(LFENCE, lfence, RING0_NO_RDTSCP) \
	X(CR0, cr0, NULL) /* cpuid;rdtsc ... mov cr0;rdtsc */

#define RING0_NO_HZ "this kernel does not use the TSC"

TIMER_INLINE uint64_t ring0_hz(void)
{
	return (uint64_t)tsc_khz * 1000;
}

#define ring0_mask(flags)   raw_local_irq_save(flags)
#define ring0_unmask(flags) raw_local_irq_restore(flags)
#define ring0_fpu_begin	    kernel_fpu_begin
#define ring0_fpu_end	    kernel_fpu_end

/* The paper's alternative for processors without RDTSCP: writing CR0, even
 * unchanged, serialises, so the read behind it waits for the measured code. */
#define timer_cr0_begin timer_cpuid_begin

TIMER_INLINE uint64_t timer_cr0_end(void)
{
	unsigned long cr0;
	uint32_t lo, hi;

	asm volatile("mov %%cr0, %2\n\t"
		     "mov %2, %%cr0\n\t"
		     "rdtsc"
		     : "=a"(lo), "=d"(hi), "=&r"(cr0)
		     :
		     : "memory");
	return (uint64_t)hi << 32 | lo;
}

#endif
