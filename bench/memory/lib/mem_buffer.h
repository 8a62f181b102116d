/* SPDX-License-Identifier: MIT */
#ifndef MEM_BUFFER_H
#define MEM_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/* Memory to measure: mapped with the pages asked for, touched, and checked for
 * the pages that were really obtained; and where it is. */
enum mem_pages {
	MEM_4K,	     /* base pages, transparent huge pages refused */
	MEM_THP,     /* transparent huge pages, by madvise(2) */
	MEM_HUGETLB, /* from the pool of huge pages of the default size */
	MEM_LARGE,   /* as MEM_THP, and small ones where those are not had */
	MEM_KINDS
};

#define MEM_LINE       64		 /* bytes: a cache line of x86-64 */
#define MEM_HUGE_BYTES ((size_t)2 << 20) /* x86-64: what a PMD maps */

struct mem_buffer {
	char *base; /* aligned to a huge page; NULL: not mapped */
	size_t bytes;
	enum mem_pages pages;
	int node;
	int64_t huge; /* bytes on huge pages, of mem_have(); -errno */
	char *map;    /* what munmap() needs */
	size_t map_bytes;
};

/* mem_beyond_caches() - bytes of which no cache holds more than half: twice the
 * last one, 64 MiB at least; 256 MiB where hwloc states no size of it. */
size_t mem_beyond_caches(const struct bench *b);

/**
 * mem_map() - map @bytes of private anonymous memory; nothing is touched.
 * Exactly so many, in whole pages of the kind asked for, are a mapping of their
 * own: beside them lie two margins without access, with which the kernel cannot
 * merge them.  A call on all of @m therefore splits no mapping.
 *
 * Return: 0; -ENOMEM (for MEM_HUGETLB also: the pool has not that many); or
 * what mmap(2) gave.
 */
int mem_map(struct mem_buffer *m, size_t bytes, enum mem_pages pages);

/**
 * mem_have() - the same of @bytes or more, on NUMA @node unless that is -1, and
 * touched: @m as it is if it is such a one, else in its place.  Most need not
 * unmap it: it goes with the process.
 *
 * Return: 0; bench_fail(); or bench_skip() if it has not the pages asked for
 * (small ones are always to be had).
 */
int mem_have(struct bench *b, struct mem_buffer *m, size_t bytes,
	     enum mem_pages pages, int node);

/* mem_unmap() - accepts a zeroed or unmapped buffer. */
void mem_unmap(struct mem_buffer *m);

/* mem_touch() - have each page of @m there, written to. */
void mem_touch(const struct mem_buffer *m);

/* mem_store_each() - the same by a store to each page, as programs do.  To free
 * a page takes half as long again where the kernel populated it by itself. */
void mem_store_each(const struct mem_buffer *m);

/* mem_flush() - throw [@base, @base + @bytes) out of all caches. */
void mem_flush(const void *base, size_t bytes);

/* mem_node() - the NUMA node of the page @at, if @to is -1, or move it to node
 * @to.  Return: where it is then, or -errno (ENOSYS: no nodes are known). */
int mem_node(char *at, int to);

/*
 * Warming up until the caches have taken in what a case touches.  One pass is
 * not enough: a victim cache takes lines in slowly (seen on a Zen 5 after other
 * data: chains of 4 MiB in L3 fell from 105 ns to 10 in ten passes, of 8 MiB in
 * twenty), and a case that is timed before is priced as memory.  To be called
 * in enter(), for each visit: the cases in between have taken the caches.
 */

/* Goes @passes times over all that the case touches. */
typedef void settle_fn(void *arg, uint64_t passes);

/**
 * settle() - pass after pass until they get no faster (sample_settle()), for a
 * second at most, less at a low effort.  Facts of @c: "passes", how many it
 * took, and "still_falling" if the time was not enough.
 *
 * Return: ns of the fastest pass; NAN if the user asked to stop.
 */
double settle(struct bench *b, const struct bench_case *c, settle_fn *fn,
	      void *arg);

#endif
