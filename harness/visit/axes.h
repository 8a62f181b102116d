/* SPDX-License-Identifier: MIT */
#ifndef AXES_H
#define AXES_H

#include <stdio.h>

#include "bench.h"

struct axes; /* program.h */

/**
 * axes_ask() - look for numbers in @globs that open axes can take.  A pattern
 * with a wildcard asks for nothing.
 *
 * Return: 0, -ENOMEM, or -E2BIG: more than BENCH_ASKED.
 */
int axes_ask(struct axes *a, const struct bench_open *open,
	     const struct opt_list *globs);
void axes_close(struct axes *a);

/* axes_beside() - the numbers asked for of the axis @name that are not in its
 * table.  @values: room for BENCH_ASKED.  Return: how many.
 * axes_is_asked() - whether @p was asked for. */
size_t axes_beside(const struct bench *b, const char *name,
		   const int64_t *table, size_t stride, size_t n,
		   int64_t *values);
bool axes_is_asked(const struct bench *b, const struct bench_param *p);

/* axes_say() - "fds from 1 to 1000, size from ..." for messages; "" if none are
 * open.  axes_help() - the same as a section of --help. */
void axes_say(const struct bench_open *open, char *text, size_t size);
void axes_help(FILE *f, const struct bench_open *open);

#endif
