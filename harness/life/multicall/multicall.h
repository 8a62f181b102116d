/* SPDX-License-Identifier: MIT */
#ifndef MULTICALL_H
#define MULTICALL_H

/*
 * Only the static file, all programs in one, has these functions: in the
 * programs by themselves all of them are NULL.
 */

/**
 * multicall_write() - the bytes of @name, which must be a file of its own to be
 * executed (oscost-true and so on), to @fd; -1: only whether it is here.
 *
 * Return: 0, -ENOENT: there is none of this name, or -errno.
 */
int multicall_write(const char *name, int fd) __attribute__((weak));

#endif
