/* SPDX-License-Identifier: MIT */
#ifndef FILE_MANY_H
#define FILE_MANY_H

#include <stdint.h>

/* A directory with many empty files. */

/**
 * file_many_get() - see to it that directory @path holds @count files: one
 * that does is used again, any other is removed and made anew.
 *
 * Return: 0 or -errno.
 */
int file_many_get(const char *path, unsigned int count);

/* file_many_count() - read directory @path to its end: how many names there
 * are beside "." and "..", or -errno. */
int64_t file_many_count(const char *path);

#endif
