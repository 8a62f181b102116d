/* SPDX-License-Identifier: MIT */
#ifndef MEM_H
#define MEM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mem_huge_in() - how much of @bytes from @base on is on huge pages now, with
 * @pool also on those of hugetlbfs, by /proc/self/smaps; -errno. */
int64_t mem_huge_in(const void *base, size_t bytes, bool pool);

/* mem_group_bound() - the least limit of the group that this process is in and
 * of all those above it, bytes; INT64_MAX if there is none. */
int64_t mem_group_bound(void);

/*
 * A memory control group of our own with a known limit, v1 or v2.  Pages that
 * a process in it reads into the page cache are charged to it.
 */
struct bench;

/* All zero: there is none. */
struct mem_group {
	char path[PATH_MAX], home[PATH_MAX]; /* its own, that we came from */
	bool v2, inside;
};

/* mem_group_open() - make a group below our own, or where that cannot have one,
 * below one above it, and limit it to @limit_bytes.  It is guarded: it goes
 * away with this program.  Nothing else on the machine is changed.
 * mem_group_enter() - this process joins it.  Return: 0, or as of bench_skip()
 * (it is not permitted) and bench_fail(). */
int mem_group_open(struct bench *b, struct mem_group *g, uint64_t limit_bytes);
int mem_group_enter(struct bench *b, struct mem_group *g);

/* mem_group_cached() - file pages charged to it, and to *@limit what the kernel
 * says that its limit is, bytes; -1: unknown. */
int64_t mem_group_cached(const struct mem_group *g, int64_t *limit);

/* mem_group_close() - leave and remove it; none is fine. */
void mem_group_close(struct mem_group *g);

#endif
