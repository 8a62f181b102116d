/* SPDX-License-Identifier: MIT */
#ifndef MEM_H
#define MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How much memory may be taken without harming the machine.  The figures are
 * /proc/meminfo's (the per-node files can show less) and the memory cgroup's,
 * version 1 or 2, of this process and of every group above it.
 */

/* mem_available_bytes() - MemAvailable, or 0 if it cannot be read. */
uint64_t mem_available_bytes(void);

/* mem_cgroup_spare_bytes() - the least of limit - usage over this process's
 * memory cgroup and those above; UINT64_MAX if there is no limit. */
uint64_t mem_cgroup_spare_bytes(void);

/* mem_spare_bytes() - a quarter of the lesser of the two. */
uint64_t mem_spare_bytes(void);

/* mem_huge_in() - how much of @bytes from @base on is on huge pages now, with
 * @pool also on those of hugetlbfs, by /proc/self/smaps; -errno. */
int64_t mem_huge_in(const void *base, size_t bytes, bool pool);

#endif
