/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_TELLS_H
#define KERNEL_TELLS_H

#include "bench.h"

/*
 * What evidence rests on and some kernels do not keep: sandboxes and kernels
 * that are still being written answer these calls with the same at all times.
 * Each is tried once in a process, with raw system calls.
 */
/* kernel_lacks() - why @what is not to be had here.
 * Return: a sentence that names the call, or NULL if it is. */
const char *kernel_lacks(enum kernel_tells what);

/* kernel_needs() - for enter() and setup(): skip where @what is not to be had.
 * Return: 0, or what bench_skip() returns. */
int kernel_needs(struct bench *b, enum kernel_tells what);

/* kernel_ready() - what @c needs of it at its visit: 0 or bench_skip(). */
int kernel_ready(struct bench *b, const struct bench_case *c);

#endif
