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

/* The kernel is compiled without these registers; who runs the chain there
 * calls kernel_fpu_begin() around it. */
#ifdef __KERNEL__
#define ENSEMBLE_CHAIN_CLOBBERS "cc"
#else
#define ENSEMBLE_CHAIN_CLOBBERS "cc", "xmm0"
#endif

/*
 * A chain of square roots, each of which needs the one before: it cannot be
 * done faster than their latencies add up to, and nothing in the registers
 * tells a read of the clock behind it to wait.  A method whose reads the
 * processor moves sees less than its length.  Few and slow: on today's large
 * cores 48 of 13 to 20 cycles take 600 to 1000, and yet all that waits fits
 * into the scheduler in front of one kind of unit, the smallest window there is
 * (multiplies do not: an AMD Zen 3 stops at 24 of them, and holds up the read
 * behind them, too).
 * @x: 3; after 48 roots in a row it is still a little more than 1.  Returns 3.
 */
ENSEMBLE_BODY_INLINE uint32_t ensemble_chain(uint32_t x)
{
	__asm__ volatile("pxor %%xmm0, %%xmm0\n\t"
			 "cvtsi2sd %0, %%xmm0\n\t"
			 ".rept 48\n\t"
			 "sqrtsd %%xmm0, %%xmm0\n\t"
			 ".endr\n\t"
			 "cvttsd2si %%xmm0, %0\n\t"
			 "add $2, %0"
			 : "+r"(x)
			 :
			 : ENSEMBLE_CHAIN_CLOBBERS);
	return x;
}

/* @n chains, joined by their results; @n: a multiple of 8, so that the loop
 * adds nothing where each instruction counts. */
ENSEMBLE_BODY_INLINE void ensemble_chains(uint32_t n)
{
	uint32_t x = 3;

	for (; n >= 8; n -= 8) {
		x = ensemble_chain(ensemble_chain(x));
		x = ensemble_chain(ensemble_chain(x));
		x = ensemble_chain(ensemble_chain(x));
		x = ensemble_chain(ensemble_chain(x));
	}
}

#endif
