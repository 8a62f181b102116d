/* SPDX-License-Identifier: MIT */
#ifndef TIMER_ASM_H
#define TIMER_ASM_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/*
 * The begin and the end of a timed interval, as instructions: one source for
 * the programs (timer.h) and for the kernel module (kernel/).
 *
 * The counter is CNTVCT_EL0, the generic timer's.  A read of it may be made
 * early, so an ISB stands in front, which plays RDTSCP's and CPUID's part: it
 * lets nothing behind it begin until all before it is done.  The ISB behind the
 * read keeps what follows from starting before the clock was read.
 *
 * Source: Arm Architecture Reference Manual (DDI 0487), D12.1, "Event streams"
 * and CNTVCT_EL0, CNTVCTSS_EL0.
 */
#define TIMER_INLINE static inline __attribute__((always_inline))

/*
 * The methods, X(NAME, name, ...) each, for timer_name_begin() and _end():
 * isb;mrs;isb, the self-synchronised read (FEAT_ECV) with an ISB behind it, and
 * for study the bare read.
 */
#define ARCH_METHODS(X, ...)               \
	X(ISB, isb, __VA_ARGS__)           \
	X(CNTVCTSS, cntvctss, __VA_ARGS__) \
	X(NONE, none, __VA_ARGS__)
/* The one that holds the reads in order and takes little. */
#define TIMER_FENCED	   TIMER_ISB
#define timer_fenced_begin timer_isb_begin
#define timer_fenced_end   timer_isb_end
/* The same where TIMER_FENCED is not to be had. */
#define TIMER_SERIAL TIMER_ISB

TIMER_INLINE uint64_t timer_isb_begin(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\t"
			 "mrs %0, cntvct_el0\n\t"
			 "isb"
			 : "=r"(now)
			 :
			 : "memory");
	return now;
}

#define timer_isb_end timer_isb_begin

/* CNTVCTSS_EL0, which is read in program order, by its number: assemblers know
 * the name since 2020. */
TIMER_INLINE uint64_t timer_cntvctss_begin(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, s3_3_c14_c0_6\n\t"
			 "isb"
			 : "=r"(now)
			 :
			 : "memory");
	return now;
}

#define timer_cntvctss_end timer_cntvctss_begin

/* Orders nothing but the compiler. */
TIMER_INLINE uint64_t timer_none_begin(void)
{
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
}

#define timer_none_end timer_none_begin

#endif
