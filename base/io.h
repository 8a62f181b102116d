/* SPDX-License-Identifier: MIT */
#ifndef IO_H
#define IO_H

#include <stddef.h>
#include <sys/types.h>

/*
 * All of it: a signal may interrupt a call, and a pipe may give or take less.
 * @at: the place in the file; -1: where it stands, as a pipe has to have it.
 */

/* io_read() - Return: bytes, fewer than @len only at the end, or -errno. */
ssize_t io_read(int fd, void *to, size_t len, off_t at);

/* io_write() - Return: 0 or -errno. */
int io_write(int fd, const void *from, size_t len, off_t at);

#endif
