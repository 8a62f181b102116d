/* SPDX-License-Identifier: MIT */
#ifndef FAULT_DISK_H
#define FAULT_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/*
 * A file without a name, of which nothing is in the page cache, for faults
 * that read from the disk.
 *
 * It has FAULT_DISK_PAGES pages with data.  Where the kernel says that the disk
 * rotates they are spread over up to 16 GiB, so that there is a seek between
 * two of them; elsewhere they lie side by side, for distance costs nothing.
 */
#define FAULT_DISK_PAGES  4096u
#define FAULT_DISK_SPREAD ((uint64_t)16 << 30)

struct fault_disk {
	int fd;		/* -1: not open */
	uint64_t bytes; /* from the first page to the end of the last */
	uint32_t order[FAULT_DISK_PAGES]; /* in which they are read */
	unsigned int next;
};

/* fault_disk_init() - not open, and a new order. */
void fault_disk_init(struct fault_disk *d, struct bench *b);

/* fault_disk_begin() - make the file if it is not open yet, see that none of
 * it is cached, and tell facts of @c.  Return: 0, bench_skip(), bench_fail().
 */
int fault_disk_begin(struct fault_disk *d, struct bench *b,
		     const struct bench_case *c);

/* fault_disk_next() - where the next page to read begins, in bytes; -1 after
 * the last one. */
int64_t fault_disk_next(struct fault_disk *d);

/* fault_disk_close() - accepts one that is not open. */
void fault_disk_close(struct fault_disk *d);

#endif
