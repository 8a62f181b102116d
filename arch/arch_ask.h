/* SPDX-License-Identifier: MIT */
#ifndef ARCH_ASK_H
#define ARCH_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timer_asm.h"

/*
 * The answers of arch/ARCH/arch.c about the processor that the caller runs on,
 * and the words for them.  clock/timer.h includes this.
 */
enum timer_method {
#define TIMER_ENUM_(NAME, name, ...) TIMER_##NAME,
	ARCH_METHODS(TIMER_ENUM_, ) /* of the counter: timer_asm.h */
	TIMER_CLOCK,		    /* clock_gettime(CLOCK_MONOTONIC_RAW) */
	TIMER_METHODS		    /* how many there are */
};

/* The choice of a method depends on these.  Filled by timer_probe(). */
struct timer_features {
	bool counter;	     /* the processor has one that programs may read */
	bool fenced;	     /* TIMER_FENCED can be used */
	bool invariant;	     /* it counts at one rate whatever the core does */
	bool hypervisor;     /* the processor says that there is one */
	bool fence_holds;    /* timer_waiting() did not cut a long dependent
			      * chain short */
	uint64_t trap_ticks; /* least time of what may trap (ARCH_TRAP), ticks;
			      * UINT64_MAX: not known */
	double trap_ns;	     /* the same of a counter whose reads may trap */
};

/* A read of the counter that takes so long is done by somebody else. */
#define TIMER_TRAP_NS 300

/* arch_probe() - fill of @f what only the architecture knows: @fence_holds,
 * and what a read takes where nothing else traps, is timer_probe()'s. */
void arch_probe(struct timer_features *f);

/**
 * timer_choose() - the method for a machine with features @f.
 * @why: gets the reason, one sentence (static text).
 *
 * On x86-64: cpuid on bare metal, lfence where CPUID traps, cpuid2 and lfence2
 * where there is no RDTSCP; clock where the counter is not invariant.
 */
enum timer_method timer_choose(const struct timer_features *f,
			       const char **why);

/**
 * timer_usable() - whether @method can run on a machine with features @f.
 * @why: gets the reason if not.
 */
bool timer_usable(enum timer_method method, const struct timer_features *f,
		  const char **why);

#define ARCH_SIGNATURE 13 /* bytes, with the 0 */

/* arch_hypervisor() - @signature gets what the hypervisor calls itself, ""
 * without one.  Return: false if the processor cannot tell. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE]);

/* arch_multiply_cycles() - cycles of a 32-bit multiply that waits for another;
 * 0 where they are not known. */
double arch_multiply_cycles(void);

/* arch_cpuid() - eax, ebx, ecx and edx of CPUID's @leaf, subleaf 0.  Return:
 * false where the architecture has no such instruction. */
bool arch_cpuid(uint32_t leaf, uint32_t regs[4]);

/* arch_no_llc() - why the generic cache events of cores of @vendor are not
 * those of the last-level cache; NULL if they are, as far as is known. */
const char *arch_no_llc(const char *vendor);

#endif
