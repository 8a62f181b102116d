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
 * The counter is `time`, read by RDTIME.  FENCE orders memory and devices, and
 * the specification says nothing of it and the counter: whether it holds a long
 * chain back is tried (fence_holds in timer.h).
 *
 * Source: The RISC-V Instruction Set Manual, volume I, "Zicntr" and "FENCE".
 */
#define TIMER_INLINE static inline __attribute__((always_inline))

/* The methods, X(NAME, name, ...) each, for timer_name_begin() and _end():
 * fence;rdtime;fence, and for study the bare read. */
#define ARCH_METHODS(X, ...)         \
	X(FENCE, fence, __VA_ARGS__) \
	X(NONE, none, __VA_ARGS__)
/* The one that holds the reads in order and takes little. */
#define TIMER_FENCED	   TIMER_FENCE
#define timer_fenced_begin timer_fence_begin
#define timer_fenced_end   timer_fence_end
/* The same where TIMER_FENCED is not to be had. */
#define TIMER_SERIAL TIMER_FENCE

TIMER_INLINE uint64_t timer_fence_begin(void)
{
	uint64_t now;

	__asm__ volatile("fence iorw, iorw\n\t"
			 "rdtime %0\n\t"
			 "fence iorw, iorw"
			 : "=r"(now)
			 :
			 : "memory");
	return now;
}

#define timer_fence_end timer_fence_begin

/* Orders nothing but the compiler. */
TIMER_INLINE uint64_t timer_none_begin(void)
{
	uint64_t now;

	__asm__ volatile("rdtime %0" : "=r"(now) : : "memory");
	return now;
}

#define timer_none_end timer_none_begin

#endif
