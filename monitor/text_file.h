/* SPDX-License-Identifier: MIT */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_FILE_MAX (16 << 20) /* bytes; as report/input.h has it */

/* A buffer that grows and is used again: no allocation in the steady state. */
struct text_file {
	char *text; /* NUL-terminated after a read that worked */
	size_t room;
};

/**
 * text_file_read() - all of a file whose size nobody knows, as in /proc.
 * A recording may be anybody's: what is no regular file is refused (-EINVAL),
 * so is one that is too large (-EFBIG).
 *
 * Return: bytes read, or -errno.  text_file_free() the buffer at last.
 */
long text_file_read(struct text_file *file, const char *path);
void text_file_free(struct text_file *file);

/* text_file_number() - the number that begins the line of @key ("usage_usec"),
 * or the file where @key is NULL.  Return: 0 or -EINVAL. */
int text_file_number(const struct text_file *file, const char *key,
		     uint64_t *value);

#endif
