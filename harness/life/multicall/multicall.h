/* SPDX-License-Identifier: MIT */
#ifndef MULTICALL_H
#define MULTICALL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What the static file, all programs in one, has and the programs by
 * themselves have not: there all of this is NULL.
 */

/**
 * multicall_has(), multicall_write() - @name, which must be a file of its own
 * to be executed (oscost-true, oscost-forker): whether it is here, and its
 * bytes to @fd.
 *
 * Return: 0, -ENOENT: there is none of this name, or -errno.
 */
bool multicall_has(const char *name) __attribute__((weak));
int multicall_write(const char *name, int fd) __attribute__((weak));

#endif
