/* SPDX-License-Identifier: MIT */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * Files that the report reads.  A directory may be anybody's: only regular
 * files are opened, and only so much of them is read, so that none can keep the
 * report waiting (a FIFO) or fill the memory (/dev/zero).
 */
#define INPUT_LINE_MAX (1 << 20)   /* bytes; the longest of ours has 2 000 */
#define INPUT_TEXT_MAX (16 << 20)  /* of a file that is read as a whole */
#define INPUT_FILE_MAX (256 << 20) /* of one that is read line by line */

enum input_links {
	INPUT_NO_LINK, /* in a results directory */
	INPUT_LINK,    /* in the user's own */
};

struct input {
	FILE *f;
	off_t at, size; /* what is appended meanwhile is not read */
	char *line;	/* the last one that was read, NUL-terminated */
	size_t len, number;
	off_t begin;   /* of the line */
	bool whole;    /* it ends with a newline, which is in it */
	bool too_long; /* only INPUT_LINE_MAX bytes of it are in @line */
};

/* input_open() - for input_next().  Return: 0 or -errno, for input_error(). */
int input_open(struct input *in, const char *path, enum input_links links);

/* input_next() - read a line.  Return: false at the end, or where reading
 * failed: see input_close(). */
bool input_next(struct input *in);

/* input_seek() - go to @begin of a line that was read before. */
void input_seek(struct input *in, off_t begin);

/* input_close() - Return: 0, or -EIO if reading had failed. */
int input_close(struct input *in);

/* input_text() - the whole of a file, NUL-terminated, a new string; NULL with
 * errno, for input_error().  @len (may be NULL): its bytes. */
char *input_text(const char *path, enum input_links links, size_t *len);

/* input_error() - @err as words behind the name of the file. */
const char *input_error(int err);

#endif
