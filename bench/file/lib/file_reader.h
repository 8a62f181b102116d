/* SPDX-License-Identifier: MIT */
#ifndef FILE_READER_H
#define FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_data.h"

/* How a program reads blocks of a file: one at a time, into one buffer. */
enum file_via {
	FILE_READ, /* read(), after lseek() where it is elsewhere */
	FILE_PREAD,
	FILE_READV, /* preadv() into four parts of the buffer */
	FILE_MMAP,  /* copied from a mapping */
	FILE_URING, /* io_uring, one request at a time */
	FILE_VIAS,
	/* All words of it summed up in the mapping, which is there already. */
	FILE_MAPPED = FILE_VIAS,
	/* From open() to close(): read() to the end, or mapped, all words
	 * summed up and unmapped. */
	FILE_OPEN_READ,
	FILE_OPEN_MMAP
};

#define FILE_READER_MOST 4096 /* blocks of one stretch */

struct file_ring;

struct file_reader {
	enum file_via via;
	int fd;
	const char *path; /* FILE_OPEN_READ, FILE_OPEN_MMAP: of that file */
	size_t block;
	char *buffer;	 /* of @block bytes, for O_DIRECT */
	uint64_t base;	 /* FILE_MMAP, FILE_MAPPED: offset of the mapping */
	const char *map; /* the same: of all that is read */
	struct file_ring *ring; /* FILE_URING */
	uint64_t place;		/* FILE_READ: file position */
	unsigned int n;		/* blocks of the stretch, or of all */
	uint64_t offset[FILE_READER_MOST];
	/* Exclusive or of a word of each block; FILE_MAPPED: sum of all. */
	uint64_t sum;
};

/* file_reader_name() - "read", "pread", "readv", "mmap", "io_uring", "mapped",
 * "open_read", "open_mmap". */
const char *file_reader_name(enum file_via via);

/* file_reader_whole() - whether all blocks are read in their order, from the
 * first on: @offset has nothing. */
bool file_reader_whole(enum file_via via);

/* file_reader_run() - read the @n blocks at @offset.  Return: 0 or -errno
 * (-EIO: a read was short). */
int file_reader_run(struct file_reader *r);

/* file_reader_good() - how many of the @n blocks held what they should, as
 * far as the words that were looked at tell: all or none but the last. */
unsigned int file_reader_good(const struct file_reader *r);

#endif
