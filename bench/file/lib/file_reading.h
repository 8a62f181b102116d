/* SPDX-License-Identifier: MIT */
#ifndef FILE_READING_H
#define FILE_READING_H

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "file_reader.h"
#include "file_walk.h"

/*
 * Reading files: the callbacks of file_read and file_contention, whose cases
 * say by their axes what is read (cache or mode, order, via, size, block,
 * depth, file, files).
 */
#define READING_FILES	   10
#define READING_MOST_BLOCK ((uint64_t)1 << 20)
#define READING_MOST_DEPTH 64
#define READING_LOAD_BLOCK ((uint64_t)64 << 10)
#define READING_LOAD_EVENTS \
	32 /* completions counted, and 2 for each of depth */

/**
 * struct file_point - what one case reads: its state.
 * @of: which of the files; < 0: each process of several its own.
 * @size: of the file; 0: all of it.
 * @asked: that size was asked for (file=): the first so many bytes of a file
 *	   that may be larger.
 * @n: blocks in one event.
 * @fresh: each event begins with nothing of the file cached.
 * @crowd: several processes read, each from any place on.
 * @depth: requests under way; 0: one at a time.
 */
struct file_point {
	enum file_cache_state { FILE_DIRECT, FILE_COLD, FILE_WARM } cache;
	const struct file_way *way;
	int of;
	uint64_t size;
	size_t block;
	unsigned int n, depth;
	bool random, asked, fresh, crowd;
};

struct file_reading {
	uint64_t bytes; /* --bytes */
	struct file_data file[READING_FILES];
	struct file_place place;
	bool process_counts, device_counts; /* seen to move */
	struct file_ring *ring;
	const char *why_ring;
	char *buffers;

	/* Of the visit under way; the row that gets the rate, or NULL. */
	const struct bench_case *rate;
	const struct file_data *now;
	struct file_reader reader;
	struct file_walk walk;
	uint64_t base, size; /* what is read of the file: its end */
	struct file_counts before;
	uint64_t blocks, right;
	uint64_t uncounted; /* blocks read before the counts in `before` */
	uint64_t ticks[READING_LOAD_EVENTS + 3 * READING_MOST_DEPTH];
};

/* file_reading_open() - in setup(), after the files: file[@of] is read from a
 * device, if any.  Return: 0 or bench_fail(). */
int file_reading_open(struct bench *b, struct file_reading *s, int of);

/* file_place_judge() - what kind of device it is as measured, from the time
 * of 4 KiB read with O_DIRECT in sequence and at random (NAN: unknown): one
 * sentence on what the figures can and cannot mean. */
void file_place_judge(const struct file_place *p, double sequential_ns,
		      double random_ns, char *text, size_t size);

bool file_reading_point(struct bench *b, void *state, struct bench_case *c);
int file_reading_cases(struct bench *b, void *state);
int file_reading_enter(struct bench *b, void *state,
		       const struct bench_case *c);
int file_reading_prepare(struct bench *b, void *state,
			 const struct bench_case *c);
int file_reading_sample(struct bench *b, void *state,
			const struct bench_case *c);
int file_reading_leave(struct bench *b, void *state,
		       const struct bench_case *c);
void file_reading_teardown(struct bench *b, void *state);

#define FILE_READING_STATE                            \
	.state_size = sizeof(struct file_reading),    \
	.case_state_size = sizeof(struct file_point), \
	.point = file_reading_point
#define FILE_READING_VISIT                                            \
	.enter = file_reading_enter, .prepare = file_reading_prepare, \
	.sample = file_reading_sample, .leave = file_reading_leave

#endif
