/* SPDX-License-Identifier: MIT */
#ifndef CALLER_H
#define CALLER_H

#include <stdint.h>

#include "timer.h"

/* Loops that call the procedures of callee.h. */

/* Calls in one pass of a loop: enough that the loop's own two instructions
 * are nothing beside them, few enough that 24 arguments stay within the cache
 * of decoded instructions. */
#define CALLER_UNROLL 8

/* caller_fn - make @passes x CALLER_UNROLL calls with the arguments @a[].
 * Return: the sum of what the calls returned. */
typedef uint64_t caller_fn(const uint64_t *a, uint64_t passes);

/* caller_once_fn - time one call by @method.  @sum: what it returned.  Return:
 * raw ticks. */
typedef uint64_t caller_once_fn(enum timer_method method, const uint64_t *a,
				uint64_t *sum);

struct caller {
	unsigned int args;
	caller_fn *direct, *pointer, *plt;
	caller_once_fn *once;
};

/* One for each number of arguments, 0 ... CALLEE_MAX. */
extern const struct caller callers[];

#endif
