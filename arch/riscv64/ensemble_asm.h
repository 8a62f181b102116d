/* SPDX-License-Identifier: MIT */
#ifndef ENSEMBLE_ASM_H
#define ENSEMBLE_ASM_H

/* Their meaning: clock/ensemble_body.h, which includes this. */

ENSEMBLE_BODY_INLINE void ensemble_stores(uint32_t n, volatile int *var)
{
	uint64_t left = n;

	__asm__ volatile("beqz %0, 2f\n\t"
			 "1: sw %2, %1\n\t"
			 "addi %0, %0, -1\n\t"
			 "bnez %0, 1b\n\t"
			 "2:"
			 : "+r"(left), "=m"(*var)
			 : "r"(1)
			 : "memory");
}

ENSEMBLE_BODY_INLINE uint32_t ensemble_chain(uint32_t x)
{
	__asm__ volatile("fcvt.d.wu fa0, %0\n\t"
			 ".rept 48\n\t"
			 "fsqrt.d fa0, fa0\n\t"
			 ".endr\n\t"
			 "fcvt.wu.d %0, fa0, rtz\n\t"
			 "addiw %0, %0, 2"
			 : "+r"(x)
			 :
			 : "fa0");
	return x;
}

#endif
