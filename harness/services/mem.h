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

/*
 * A memory control group of our own with a known limit, v1 or v2, and
 * processes in it.  What they read into the page cache is charged to it.
 */
struct bench;

struct mem_group {
	char path[PATH_MAX]; /* "" while there is none */
	bool v2;
	char why[256]; /* after an error: a sentence */
};

/**
 * mem_group_open() - make a group below our own, or where that cannot have
 * one, below one above it, and limit it to @limit_bytes.  It is guarded: it
 * goes away with this program.  Nothing else on the machine is changed.
 *
 * Return: 0, or -errno with g->why.
 */
int mem_group_open(struct bench *b, struct mem_group *g, uint64_t limit_bytes);

/* mem_group_add() - process @pid joins it.  Return: 0 or -errno. */
int mem_group_add(const struct mem_group *g, int pid);

/* mem_group_cached() - file pages charged to it, bytes; or -1. */
int64_t mem_group_cached(const struct mem_group *g);

/* mem_group_limit() - what the kernel says that its limit is, bytes; or
 * -1. */
int64_t mem_group_limit(const struct mem_group *g);

/* mem_group_bound() - the least limit of the group that this process is in and
 * of all those above it, bytes; INT64_MAX if there is none. */
int64_t mem_group_bound(void);

/* mem_group_close() - kill what is in it and remove it; none is fine.  Return:
 * 0 or -errno. */
int mem_group_close(struct mem_group *g);

#endif
