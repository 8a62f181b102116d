/* SPDX-License-Identifier: MIT */
#ifndef CACHE_READER_H
#define CACHE_READER_H

#include <stdint.h>

#include "file_data.h"
#include "file_place.h"
#include "mem_group.h"
#include "partner.h"

/*
 * The process that reads a file through the cache, in a memory control group
 * or not, and the file.
 */
#define CACHE_READER_BLOCK 4096u	/* of what is timed */
#define CACHE_READER_PIECE (128u << 10) /* of what fills the cache */

struct cache_report {
	int err; /* -errno */
	uint64_t ticks;
	uint64_t bytes, wrong; /* read, of which not what the file holds */
	int64_t stored;	       /* of them from storage; -1: not known */
};

/* Memory of both processes. */
struct cache_order {
	size_t each; /* read by so many bytes */
	uint64_t offset, bytes;
	struct cache_report report;
};

/* All zero but for file_data_init(&file) at first. */
struct cache_reader {
	struct file_data file;
	struct file_place place;
	struct mem_group group;
	struct partner partner;
	struct cache_order *order;
	enum timer_method method;
	char block[CACHE_READER_PIECE];
};

/* cache_reader_open() - make the file, @bytes of it, a group of @limit bytes
 * (0: none), and the process in it; cache_reader_end() in any case.  Return: 0,
 * bench_fail() or bench_skip(). */
int cache_reader_open(struct bench *b, struct cache_reader *v, uint64_t bytes,
		      uint64_t limit);

/* cache_reader_end() - no process, no group, nothing cached. */
void cache_reader_end(struct cache_reader *v);

/* cache_reader_start() - where a file of @size begins in the test file: it
 * has its end, lest the kernel read ahead what is beyond @size. */
uint64_t cache_reader_start(const struct cache_reader *v, uint64_t size);

/* cache_reader_read() - let it read @bytes from @offset on, by @each; @report:
 * what it did.  Return: 0, report->err, or as of partner_check(). */
int cache_reader_read(struct cache_reader *v, size_t each, uint64_t offset,
		      uint64_t bytes, struct cache_report *report);

#endif
