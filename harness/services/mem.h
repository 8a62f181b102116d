/* SPDX-License-Identifier: MIT */
#ifndef MEM_H
#define MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mem_huge_in() - how much of @bytes from @base on is on huge pages now, with
 * @pool also on those of hugetlbfs, by /proc/self/smaps; -errno. */
int64_t mem_huge_in(const void *base, size_t bytes, bool pool);

/* mem_resident() - how much of @bytes from @at on, where a page begins, is in
 * memory, by mincore(2); -errno (-ENOMEM: there is a hole). */
int64_t mem_resident(void *at, size_t bytes);

/* mem_group_bound() - the least limit of the group that this process is in and
 * of all those above it, bytes; INT64_MAX if there is none. */
int64_t mem_group_bound(void);

#endif
