/* SPDX-License-Identifier: MIT */
#ifndef FILE_MANY_H
#define FILE_MANY_H

#include <stdbool.h>
#include <stdint.h>

/* A directory with many names. */

/**
 * file_many_get() - see to it that directory @path holds @count names: one
 * that does is used again, any other is removed and made anew.
 * @links: they may be names of one empty file, as far as the file system lets
 * one have so many; else each is an empty file.
 *
 * Return: 0 or -errno.
 */
int file_many_get(const char *path, unsigned int count, bool links);

/* file_many_links() - how many names the file of the first one has, or
 * -errno. */
int64_t file_many_links(const char *path);

/* file_many_count() - read directory @path to its end: how many names there
 * are beside "." and "..", or -errno. */
int64_t file_many_count(const char *path);

#endif
