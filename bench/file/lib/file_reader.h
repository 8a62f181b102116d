/* SPDX-License-Identifier: MIT */
#ifndef FILE_READER_H
#define FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_data.h"

/* How a program reads blocks of a file: one at a time, into one buffer. */
struct file_reader;

struct file_way {
	const char *name;
	/* The block at @offset.  Return: its bytes, or -1 with errno. */
	ssize_t (*read)(struct file_reader *r, uint64_t offset);
	/* Around each stretch.  Return: 0, or -1 with errno. */
	int (*open)(struct file_reader *r), (*close)(struct file_reader *r);
	int mapping; /* MAP_... of one that must be there; 0: none */
	bool sums;   /* all words of a block, in place: there is no copy */
};

/* read (after lseek() where the file is elsewhere), pread, readv (into four
 * parts of the buffer), mmap (copied from a mapping), io_uring (one request at
 * a time), mapped (all words summed up in the mapping), open_read (from open()
 * to close(): read() to the end), open_mmap (the same, mapped, all words summed
 * up and unmapped).  The last has no name. */
extern const struct file_way file_ways[];

#define FILE_READER_MOST 16384 /* blocks of one stretch */

struct file_ring;

struct file_reader {
	const struct file_way *way;
	int fd;
	const char *path; /* for the ways that open the file */
	size_t block;
	char *buffer;	 /* of @block bytes, for O_DIRECT */
	uint64_t base;	 /* offset of the mapping */
	const char *map; /* of all that is read */
	struct file_ring *ring;
	int opened;	/* by the way */
	uint64_t place; /* read: file position */
	unsigned int n; /* blocks of the stretch */
	uint64_t offset[FILE_READER_MOST];
	uint64_t sum; /* of all words; or of a word of each block: exclusive or
		       */
};

/* file_reader_run() - read the @n blocks at @offset.  Return: 0 or -errno
 * (-EIO: a read was short). */
int file_reader_run(struct file_reader *r);

/* file_reader_good() - how many of the @n blocks held what they should, as
 * far as the words that were looked at tell: all or none. */
unsigned int file_reader_good(const struct file_reader *r);

#endif
