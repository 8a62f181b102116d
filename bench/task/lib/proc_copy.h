/* SPDX-License-Identifier: MIT */
#ifndef PROC_COPY_H
#define PROC_COPY_H

#include <stddef.h>

#include "bench.h"

/**
 * proc_find_program() - path of a helper program: in ../libexec beside this
 * program's directory, or in that directory itself.
 *
 * Return: 0, or -ENOENT if there is none that can be executed; of the static
 * file, which has them inside, 0 and no path.
 */
int proc_find_program(const char *name, char *path, size_t size);

/**
 * proc_copy_program() - a copy of helper program @name at @path, where there is
 * nothing yet, or bench_skip().
 *
 * The cost of mapping its pages depends on how they came into the page cache: a
 * fork by a program that was linked a minute ago takes 3 % longer than by its
 * copy.  So each time a new copy is timed.
 */
int proc_copy_program(struct bench *b, const char *name, const char *path);

#endif
