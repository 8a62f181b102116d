/* SPDX-License-Identifier: MIT */
#ifndef MEM_PAGES_H
#define MEM_PAGES_H

#include "mem_buffer.h"

/* Where memory is: caches, pools, nodes, or not at all. */

/* mem_flush() - throw [@base, @base + @bytes) out of all caches. */
void mem_flush(const void *base, size_t bytes);

/* mem_huge_pool() - bytes that are free in the pool of huge pages. */
uint64_t mem_huge_pool(void);

/* mem_node_bytes() - how much of @m, in whole pages, the kernel says is on
 * NUMA @node.  Return: bytes, or -errno (ENOSYS: it knows of no nodes). */
int64_t mem_node_bytes(const struct mem_buffer *m, int node);

/* mem_resident() - whether every page of @m is in memory, by mincore(2).
 * Return: bytes that are, or -errno. */
int64_t mem_resident(const struct mem_buffer *m);

#endif
