/* SPDX-License-Identifier: MIT */
#ifndef FILE_POINTS_H
#define FILE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "file_reader.h"

/* The points of file_read's axes. */
enum file_cache_state { FILE_DIRECT, FILE_COLD, FILE_WARM };

extern const char file_points[];

#define FILE_POINTS_WARM_BYTES	((uint64_t)64 << 20)
#define FILE_POINTS_LEAST_BYTES ((uint64_t)4 << 20)
#define FILE_POINTS_MOST_BLOCK	((uint64_t)1 << 20)
#define FILE_POINTS_MOST_DEPTH	64
#define FILE_POINTS_LOAD_BLOCK	((uint64_t)64 << 10)

/* What may be fetched ahead is timed in stretches of so many bytes, or as a
 * whole, from the first read on, if the file has no more than the other. */
#define FILE_POINTS_AHEAD_BYTES ((uint64_t)8 << 20)
#define FILE_POINTS_WHOLE_BYTES ((uint64_t)16 << 20)

/**
 * struct file_point - what one case reads: its state.
 * @size: of the file; 0: all of it.
 * @asked: that size was asked for (file=): the first so many bytes of a file
 *	   that may be larger.
 * @n: blocks in one event.
 * @fresh: each event begins with nothing of the file cached.
 * @depth: requests under way; 0: one at a time.
 */
struct file_point {
	enum file_cache_state cache;
	bool random;
	enum file_via via;
	uint64_t size;
	bool asked;
	size_t block;
	unsigned int n;
	bool fresh;
	unsigned int depth;
};

/* file_point_fill() - the point of @c, from its values. */
bool file_point_fill(struct bench *b, void *state, struct bench_case *c);

/* file_points_warm_bytes() - of the file that is cached. */
uint64_t file_points_warm_bytes(const struct bench *b);

#endif
