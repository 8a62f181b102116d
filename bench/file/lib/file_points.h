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

#define FILE_POINTS_SIZES	5 /* 4 MiB ... 1 GiB */
#define FILE_POINTS_MOST	256
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
 * struct file_point - what one case reads.
 * @size: of the file; 0: all of it.
 * @asked: that size was asked for (file=): the first so many bytes of a file
 *	   that may be larger.
 * @n: blocks in one event.
 * @fresh: each event begins with nothing of the file cached.
 * @depth: requests under way; 0: one at a time.
 * @rate: the case that gets the rate, where @depth is given.
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
	const struct bench_case *rate;
};

struct file_points {
	struct file_point point[FILE_POINTS_MOST];
	size_t n;
	uint64_t warm_bytes; /* of the file that is cached */
	/* 4 KiB with O_DIRECT by size, sequential and random, and the ratio
	 * for the largest. */
	const struct bench_case *direct[2][FILE_POINTS_SIZES], *ratio;
};

extern const struct bench_open file_points_open[];

/* file_points_add() - add all cases; their index is that of the point. */
void file_points_add(struct bench *b, struct file_points *s);

#endif
