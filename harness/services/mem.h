/* SPDX-License-Identifier: MIT */
#ifndef MEM_H
#define MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mem_huge_in() - how much of @bytes from @base on is on huge pages now, with
 * @pool also on those of hugetlbfs, by /proc/self/smaps; -errno. */
int64_t mem_huge_in(const void *base, size_t bytes, bool pool);

/* mem_group_bound() - the least limit of the group that this process is in and
 * of all those above it, bytes; INT64_MAX if there is none. */
int64_t mem_group_bound(void);

#endif
