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
/*
 * ensemble_stores(n, var): the paper's measured_loop(), @n times one store to
 * @var.  In assembler, so that one step of @n is one store (and the
 * instructions of its loop) with any compiler and any option.
 *
 * ensemble_chain(3): a chain of 48 square roots, each of which needs the one
 * before: it cannot be done faster than their latencies add up to, and nothing
 * in the registers tells a read of the clock behind it to wait.  A method whose
 * reads the processor moves sees less than its length.  Few and slow: on
 * today's large cores 48 of 13 to 20 cycles take 600 to 1000, and yet all that
 * waits fits into the scheduler in front of one kind of unit, the smallest
 * window there is (multiplies do not: an AMD Zen 3 stops at 24 of them, and
 * holds up the read behind them, too).  After 48 roots in a row 3 is still a
 * little more than 1.  Returns 3.
 *
 * The kernel is compiled without the chain's registers; who runs it there says
 * so to the kernel.
 */
#define ENSEMBLE_BODY_INLINE static inline __attribute__((always_inline))

#include "ensemble_asm.h"

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
