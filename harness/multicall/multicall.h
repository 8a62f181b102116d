/* SPDX-License-Identifier: MIT */
#ifndef MULTICALL_H
#define MULTICALL_H

#include <stddef.h>

/*
 * What the static file, all programs in one, has and the programs by
 * themselves have not: there all of this is NULL.
 */

/**
 * multicall_find() - the path of this file, if @name is one of its programs:
 * executed with @name as argv[0] it is that program.
 *
 * Return: 0, -ENOENT, or -ENAMETOOLONG: @path has only @size bytes.
 */
int multicall_find(const char *name, char *path, size_t size)
	__attribute__((weak));

/* oscost-true, as bytes: it must be a file of its own to be executed. */
extern const char multicall_true[] __attribute__((weak));
extern const char multicall_true_end[] __attribute__((weak));

#endif
