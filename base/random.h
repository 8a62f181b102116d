/* SPDX-License-Identifier: MIT */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* random_next() - advance a xorshift64* state, which is not 0; the upper bits
 * are the better ones.  Not for secrets. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545F4914F6CDD1Du;
}

/* random_below() - one of @n numbers from 0 on. */
static inline uint32_t random_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(((random_next(state) >> 32) * n) >> 32);
}

#endif
