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
 * the programs (timer.h) and for the kernel module (kernel/), so that both
 * rings time with the same code.  Nothing here needs more than an integer
 * type; registers are named by their 32-bit names, which both gcc modes know.
 *
 * Source: G. Paoloni, Intel white paper 324264-001, 2010; Intel SDM 2B, RDTSC.
 */
#define TIMER_INLINE static inline __attribute__((always_inline))

/*
 * The methods, X(NAME, name, ...) each, for timer_name_begin() and _end():
 * cpuid;rdtsc ... rdtscp;cpuid, for study the same ... cpuid;rdtsc, then
 * lfence;rdtsc;lfence ... rdtscp;lfence, without RDTSCP the same ...
 * lfence;rdtsc;lfence, and for study rdtsc ... rdtsc.
 */
#define ARCH_METHODS(X, ...)             \
	X(CPUID, cpuid, __VA_ARGS__)     \
	X(CPUID2, cpuid2, __VA_ARGS__)   \
	X(LFENCE, lfence, __VA_ARGS__)   \
	X(LFENCE2, lfence2, __VA_ARGS__) \
	X(NONE, none, __VA_ARGS__)
/* The one that holds the reads in order and takes little. */
#define TIMER_FENCED	   TIMER_LFENCE
#define timer_fenced_begin timer_lfence_begin
#define timer_fenced_end   timer_lfence_end
/* The same where TIMER_FENCED is not to be had. */
#define TIMER_SERIAL TIMER_LFENCE2

/* CPUID orders all before it against all after it: nothing early, nothing
 * late.  The leaf is 0, for the time that a leaf takes differs. */
TIMER_INLINE uint64_t timer_cpuid_begin(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xor %%eax, %%eax\n\t"
			 "cpuid\n\t"
			 "rdtsc"
			 : "=a"(lo), "=d"(hi)
			 :
			 : "ebx", "ecx", "memory", "cc");
	return (uint64_t)hi << 32 | lo;
}

/* RDTSCP waits for all before it; the CPUID behind it keeps what follows from
 * starting before the clock was read. */
TIMER_INLINE uint64_t timer_cpuid_end(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtscp\n\t"
			 "mov %%eax, %0\n\t"
			 "mov %%edx, %1\n\t"
			 "xor %%eax, %%eax\n\t"
			 "cpuid"
			 : "=&r"(lo), "=&r"(hi)
			 :
			 : "eax", "ebx", "ecx", "edx", "memory", "cc");
	return (uint64_t)hi << 32 | lo;
}

/* The paper's first form: the second CPUID is inside the interval. */
#define timer_cpuid2_begin timer_cpuid_begin
#define timer_cpuid2_end   timer_cpuid_begin

/* LFENCE lets nothing behind it start until all before it has completed; the
 * first holds the read back, the second holds the measured code back. */
TIMER_INLINE uint64_t timer_lfence_begin(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\t"
			 "rdtsc\n\t"
			 "lfence"
			 : "=a"(lo), "=d"(hi)
			 :
			 : "memory");
	return (uint64_t)hi << 32 | lo;
}

/* RDTSCP waits for all before it; LFENCE keeps what follows behind it. */
TIMER_INLINE uint64_t timer_lfence_end(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtscp\n\t"
			 "lfence"
			 : "=a"(lo), "=d"(hi)
			 :
			 : "ecx", "memory");
	return (uint64_t)hi << 32 | lo;
}

/* Where there is no RDTSCP: the first LFENCE waits as RDTSCP does. */
#define timer_lfence2_begin timer_lfence_begin
#define timer_lfence2_end   timer_lfence_begin

/* Orders nothing but the compiler: the processor may move the read both ways.
 */
TIMER_INLINE uint64_t timer_none_begin(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

#define timer_none_end timer_none_begin

#endif
