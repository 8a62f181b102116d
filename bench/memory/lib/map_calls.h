/* SPDX-License-Identifier: MIT */
#ifndef MAP_CALLS_H
#define MAP_CALLS_H

#include "bench.h"
#include "call.h"
#include "mem_buffer.h"

/* Calls that change a mapping, for the programs mapping and shootdown. */

/* The area of a call; a state begins with it. enter() sets its size, and
 * whether it is touched: there, by a store to each page. */
struct map_area {
	uint64_t right;
	char *at; /* a mapping of its own, or what mmap has made */
	size_t bytes;
	bool touched;
	int node; /* that migrate shall move it to */
	/* That it lies in, and for mremap reserved addresses. */
	struct mem_buffer buffer, target;
};

/* mmap, mremap, mprotect, munmap, madvise, membarrier, migrate. */
extern const struct call map_calls[];

/* Callbacks: have what the call works on, and unmap what is left of it. */
bench_case_fn map_prepare;
bench_leave_fn map_leave;
bench_conclude_fn map_conclude;

/* map_unmap_margins() - unmap a buffer of MEM_4K that munmap() or
 * mremap() has taken away: what is there now may be another's. */
void map_unmap_margins(struct mem_buffer *m);

/* map_is_hole() - whether there is no mapping at @at. */
bool map_is_hole(char *at, size_t bytes);

#endif
