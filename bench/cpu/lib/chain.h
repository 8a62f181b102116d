/* SPDX-License-Identifier: MIT */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>

#include "arch.h"

/*
 * CHAIN_FUNCTION() - a function of @length dependent instructions @insn (of
 * arch.h, which change x by y), @passes times.  Adds have a register operand,
 * for some processors do an add of a small constant in no time at all.
 */
#define CHAIN_FUNCTION(function, insn, length)                             \
	uint64_t function(uint64_t x, uint64_t y, uint64_t passes)         \
	{                                                                  \
		__asm__ volatile(".p2align 6\n"                            \
				 "1:\n\t"                                  \
				 ".rept " #length "\n\t" insn              \
				 ".endr\n\t" ARCH_AGAIN("%[passes]", "1b") \
				 : ARCH_CHAIN_X(x), [passes] "+r"(passes)  \
				 : ARCH_CHAIN_Y(y)                         \
				 : "cc");                                  \
		return x;                                                  \
	}

/* chain_power() - y^n: what @n multiplications leave of 1, modulo 2^64. */
static inline uint64_t chain_power(uint64_t y, uint64_t n)
{
	uint64_t result = 1;

	for (; n; n >>= 1, y *= y)
		if (n & 1)
			result *= y;
	return result;
}

#endif
