/* SPDX-License-Identifier: MIT */
#ifndef ENSEMBLE_ASM_H
#define ENSEMBLE_ASM_H

/* Their meaning: clock/ensemble_body.h, which includes this. */

ENSEMBLE_BODY_INLINE void ensemble_stores(uint32_t n, volatile int *var)
{
	__asm__ volatile("cbz %w0, 2f\n\t"
			 "1: str %w2, %1\n\t"
			 "subs %w0, %w0, #1\n\t"
			 "b.ne 1b\n\t"
			 "2:"
			 : "+r"(n), "=m"(*var)
			 : "r"(1)
			 : "cc", "memory");
}

#ifdef __KERNEL__
#define ENSEMBLE_CHAIN_CLOBBERS "cc"
#else
#define ENSEMBLE_CHAIN_CLOBBERS "cc", "v0"
#endif

ENSEMBLE_BODY_INLINE uint32_t ensemble_chain(uint32_t x)
{
	__asm__ volatile(".arch_extension fp\n\t"
			 "ucvtf d0, %w0\n\t"
			 ".rept 48\n\t"
			 "fsqrt d0, d0\n\t"
			 ".endr\n\t"
			 "fcvtzu %w0, d0\n\t"
			 "add %w0, %w0, #2"
			 : "+r"(x)
			 :
			 : ENSEMBLE_CHAIN_CLOBBERS);
	return x;
}

#endif
