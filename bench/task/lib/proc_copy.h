/* SPDX-License-Identifier: MIT */
#ifndef PROC_COPY_H
#define PROC_COPY_H

#include "bench.h"

/**
 * proc_copy_program() - helper program @name, which is a part of this one, as a
 * file of its own at @path, where there is nothing yet, or bench_skip().
 *
 * The cost of mapping its pages depends on how they came into the page cache: a
 * fork by a program that was linked a minute ago takes 3 % longer than by its
 * copy.  So each time a new copy is timed.
 */
int proc_copy_program(struct bench *b, const char *name, const char *path);

#endif
