/* SPDX-License-Identifier: MIT */
#ifndef ENSEMBLE_ASM_H
#define ENSEMBLE_ASM_H

/* Their meaning: clock/ensemble_body.h, which includes this. */

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

#ifdef __KERNEL__
#define ENSEMBLE_CHAIN_CLOBBERS "cc"
#else
#define ENSEMBLE_CHAIN_CLOBBERS "cc", "xmm0"
#endif

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

#endif
