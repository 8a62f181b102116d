/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_TELLS_H
#define KERNEL_TELLS_H

#include "bench.h"

/* Counts that evidence rests on.  Sandboxes and kernels that are still being
 * written may always give the same answer: each is tried once in a process, by
 * raw system calls. */

/* kernel_lacks() - why @what is not to be had here; NULL: it is. */
const char *kernel_lacks(enum kernel_tells what);

/* kernel_ready() - all that has a bit in @needs: 0 or bench_skip(). */
int kernel_ready(struct bench *b, unsigned int needs);

#endif
