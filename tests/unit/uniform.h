/* SPDX-License-Identifier: MIT */
#ifndef UNIFORM_H
#define UNIFORM_H

#include <math.h>
#include <stdint.h>

/* A generator of our own, so that the same numbers come out everywhere. */
static uint64_t state = 88172645463325252u;

/* uniform() - a number between 0 and 1. */
static inline double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* normal() - of deviation 1 around 0. */
static inline double normal(void)
{
	const double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

#endif
