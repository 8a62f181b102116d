/* SPDX-License-Identifier: MIT */
#ifndef UNIFORM_H
#define UNIFORM_H

#include <stdint.h>

/* A generator of our own, so that the same numbers come out everywhere. */
static uint64_t state = 88172645463325252u;

/* uniform() - a number between 0 and 1. */
static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

#endif
