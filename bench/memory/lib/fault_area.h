/* SPDX-License-Identifier: MIT */
#ifndef FAULT_AREA_H
#define FAULT_AREA_H

#include <stdbool.h>
#include <stddef.h>

#include "bench.h"
#include "mem_buffer.h"

/*
 * Memory of which nothing has been touched, for each kind of page fault.
 */
#define FAULT_PAGES   1024 /* mapped at once, then the mapping is renewed */
#define FAULT_TOUCHES 256  /* of a cached file */

enum fault_unit {
	FAULT_NOTHING,
	FAULT_PAGE,
	FAULT_AROUND, /* what the kernel maps around a page of a file */
	FAULT_HUGE
};

enum fault_kind {
	FAULT_ANONYMOUS,
	FAULT_ZERO,
	FAULT_THP,
	FAULT_SHARED,
	FAULT_COW,
	FAULT_CACHED,
	FAULT_SINGLE,
	FAULT_MAJOR,
	FAULT_USER,
	FAULT_POPULATE,
	FAULT_POPULATE_FILE,
	FAULT_KINDS
};

extern const struct fault_kind_info {
	const char *name;
	enum fault_unit step; /* from touched page to touched page */
	unsigned int count;   /* pages touched before the mapping is renewed */
	bool write;
	enum fault_unit brings; /* FAULT_NOTHING: no row for it */
	bool memory_file;
} fault_kinds[FAULT_KINDS];

/* fault_bytes() - how much that is here. */
size_t fault_bytes(enum fault_unit unit);

/* fault_file_bytes() - of the file that is cached. */
size_t fault_file_bytes(void);

struct fault_area {
	char *map, *base; /* what is being touched */
	size_t map_bytes;
	unsigned int touched;
};

/**
 * fault_area_renew() - map what @kind needs, in place of what is mapped.
 * @file: what is mapped by kinds with memory_file, or FAULT_MAJOR, of @bytes.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int fault_area_renew(struct bench *b, struct fault_area *a,
		     enum fault_kind kind, int file, size_t bytes);

/* fault_area_unmap() - a zeroed one is fine. */
void fault_area_unmap(struct fault_area *a);

#endif
