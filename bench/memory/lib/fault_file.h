/* SPDX-License-Identifier: MIT */
#ifndef FAULT_FILE_H
#define FAULT_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A file on a disk whose pages can be dropped from the page cache. */
struct fault_file {
	int fd; /* -1: not open */
};

void fault_file_init(struct fault_file *f);

/**
 * fault_file_open() - make a file of @bytes in @dir and write it to the disk.
 * It has no name, so nothing of it is left behind.
 * @why: gets the reason (static text) if there is no disk under @dir.
 *
 * Return: 0 or -errno.
 */
int fault_file_open(struct fault_file *f, const char *dir, size_t bytes,
		    const char **why);

/**
 * fault_file_drop() - drop its @bytes from the page cache; may take as long as
 * file_cache_drop().
 *
 * Return: bytes that are cached afterwards, by mincore(2), or -errno.
 */
int64_t fault_file_drop(struct fault_file *f, size_t bytes);

/* fault_file_fill() - write @bytes that are no zeros to @fd.  Return: 0, or -1
 * with errno set. */
int fault_file_fill(int fd, size_t bytes);

/* fault_file_close() - an initialised one is fine. */
void fault_file_close(struct fault_file *f);

#endif
