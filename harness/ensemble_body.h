/* SPDX-License-Identifier: MIT */
#ifndef ENSEMBLE_BODY_H
#define ENSEMBLE_BODY_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/*
 * The bodies that the acceptance test measures, as instructions: one source
 * for the programs and for the kernel module, the same at any optimisation.
 */
#define ENSEMBLE_BODY_INLINE static inline __attribute__((always_inline))

/*
 * The paper's measured_loop(): @n times one store to @var.  In assembler, so
 * that one step of @n is one store (and the three instructions of its loop)
 * with any compiler and any option.
 */
ENSEMBLE_BODY_INLINE void ensemble_stores(uint32_t n, volatile int *var)
{
	__asm__ volatile("test %0, %0\n\t"
			 "jz 2f\n\t"
			 "1: movl $1, %1\n\t"
			 "dec %0\n\t"
			 "jnz 1b\n\t"
			 "2:"
			 : "+r"(n), "=m"(*var)
			 :
			 : "cc", "memory");
}

/*
 * A chain of multiplies, each of which needs the one before: it cannot be
 * done faster than their latencies add up to, and nothing in the registers
 * tells a read of the clock behind it to wait.  A method whose reads the
 * processor moves sees less than its length.  224 of them take more than 600
 * cycles, but fit whole into the window in which a processor may reorder (512
 * on today's largest), so that a read that does not wait shows.  Chains are
 * joined by @x.
 */
ENSEMBLE_BODY_INLINE uint32_t ensemble_chain(uint32_t x)
{
	__asm__ volatile(".rept 224\n\t"
			 "imul %0, %0\n\t"
			 ".endr"
			 : "+r"(x)
			 :
			 : "cc");
	return x;
}

#endif
