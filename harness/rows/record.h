/* SPDX-License-Identifier: MIT */
#ifndef RECORD_H
#define RECORD_H

#include <stddef.h>
#include <stdio.h>

#include "result.h"

/*
 * A row on its way from an invocation to its supervisor, which is the same
 * program: a mark, then the members in the order of the columns; numbers as
 * they are in memory, a text or a list behind its length.
 */

/* record_put() - append @r to the file or pipe @fd.  Return: 0 or -errno. */
int record_put(int fd, const struct result *r);

/**
 * record_take() - the record at *@at, which moves behind it.
 * @end: of what was written.  Nothing in it is relied on: it may be cut short,
 * or something else may have written there.
 *
 * Return: 0, or -EBADMSG: it is no whole record, or there is no memory.
 */
int record_take(struct result *r, const char **at, const char *end);

#endif
