/* SPDX-License-Identifier: MIT */
#ifndef FAULT_DISK_H
#define FAULT_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"

/*
 * A file of which nothing is in the page cache, for faults that read from the
 * disk: the one of FILE_OWN_BYTES that other programs read as well.  Its pages
 * are read in random order, FAULT_DISK_PAGES of them (fewer where a page is
 * larger than their distance).
 */
#define FAULT_DISK_PAGES 4096u

struct fault_disk {
	struct file_data file;
	struct file_place place;	  /* of the file */
	uint32_t order[FAULT_DISK_PAGES]; /* in which they are read */
	unsigned int next;
};

/* fault_disk_init() - not open, and a new order; end with file_data_close(). */
void fault_disk_init(struct fault_disk *d, struct bench *b);

/* fault_disk_pages() - how many pages are read. */
unsigned int fault_disk_pages(void);

/* fault_disk_begin() - make the file if it is not open yet, see that none of
 * it is cached, and tell facts of @c.  Return: 0, bench_skip(), bench_fail().
 */
int fault_disk_begin(struct fault_disk *d, struct bench *b,
		     const struct bench_case *c);

/* fault_disk_next() - where the next page to read begins, in bytes; -1 after
 * the last one. */
int64_t fault_disk_next(struct fault_disk *d);

#endif
