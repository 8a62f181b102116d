/* SPDX-License-Identifier: MIT */
#ifndef FILE_SMALL_H
#define FILE_SMALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_place.h"

/* Small files and their names, and what their cost depends on. */

/**
 * file_small_dir() - make a directory for small files in @parent and open it.
 * @number: a random one; the name is made from it.
 *
 * On ext4 it gets a group of inodes elsewhere on the disk, as a directory at
 * the top does, which the name chooses: with another name each time, what was
 * deleted shortly before has no part in the cost.
 *
 * Return: the fd, or -errno.
 */
int file_small_dir(const char *parent, uint64_t number);

/* file_small_end() - close @dir and remove it, if it is empty. */
void file_small_end(int dir, const char *parent, uint64_t number);

/* file_small_make() - make the new file @name in directory @dir with @size
 * bytes of @data: openat, write (none for 0), close.  Return: whether all went
 * well; else errno. */
bool file_small_make(int dir, const char *name, const char *data, size_t size);

/* file_small_is() - whether @name in @dir is a regular file of @size bytes;
 * file_small_gone() - whether there is nothing of that name. */
bool file_small_is(int dir, const char *name, off_t size);
bool file_small_gone(int dir, const char *name);

/* file_small_journal() - "jbd2" or "none" for ext4 on a block device that is
 * known, as @proc ("/proc/fs/jbd2") says; NULL: not known.  Static text. */
const char *file_small_journal(const struct file_place *p, const char *proc);

#endif
