/* SPDX-License-Identifier: MIT */
#ifndef FILE_READING_H
#define FILE_READING_H

#include "bench.h"
#include "file_data.h"
#include "file_walk.h"

/*
 * Reading files: the callbacks of file_read, file_contention and file_remote,
 * whose cases say by their axes what is read (cache or mode, order, by, size,
 * block, depth, file, files, where).
 */
/* The most that kernels fetch ahead at once.  A device that reports only when
 * it is idle brings two such at once, so a stretch times that many.  Over a
 * network nothing waits for them. */
#define READING_AHEAD	   ((uint64_t)8 << 20)
#define READING_FILES	   10
#define READING_STRETCH	   16384 /* blocks, at most */
#define READING_MOST_BLOCK ((uint64_t)1 << 20)
#define READING_MOST_DEPTH 64
#define READING_LOAD_BLOCK ((uint64_t)64 << 10)

struct file_reading;

/* How a program reads blocks of a file: one at a time, into one buffer. */
struct file_way {
	const char *name;
	/* The block at @offset.  Return: its bytes, or -1 with errno. */
	ssize_t (*read)(struct file_reading *s, uint64_t offset);
	bool opens;  /* and closes it, and its mapping, around each stretch */
	int mapping; /* MAP_... of the one that is read; 0: none */
	bool sums;   /* all words of a block, in place: there is no copy */
};

/**
 * struct file_point - what one case reads: its state.
 * @of: which of the files; < 0: each process of several its own.
 * @size: of the file; 0: all of it.
 * @asked: that size was asked for (file=): the first so many bytes of a file
 *	   that may be larger.
 * @piece: a visit reads no more than FILE_OWN_BYTES of it, anywhere in it.
 * @far: it comes over a network, from a file that may be here or not.
 * @n: blocks in one event.
 * @fresh: each event begins with nothing of the file cached.
 * @crowd: several processes read, each from any place on.
 * @depth: requests under way; 0: one at a time.
 */
struct file_point {
	/* Unknown: of a server on another machine. */
	enum file_cache_state {
		FILE_DIRECT,
		FILE_COLD,
		FILE_WARM,
		FILE_UNKNOWN
	} cache;
	const struct file_way *way;
	int of;
	uint64_t size;
	size_t block;
	unsigned int n, depth;
	bool random, asked, piece, fresh, crowd, far;
};

struct file_reading {
	struct file_data file[READING_FILES];
	const struct file_way *ways; /* beside pread; the last has no name */
	struct file_ring *ring;	     /* of one of them, in a visit */
	char *buffers;
	bool unchecked; /* somebody else wrote it: what, nobody can tell */

	/* These are of the visit under way. */
	const char *why; /* a read failed, if the way knows better */
	const struct file_data *now;
	const struct file_point *point;
	int fd;		     /* 0: not open */
	const char *map;     /* of all that is read, or NULL */
	uint64_t base, size; /* what is read of the file: its end */
	struct file_walk walk;
	uint64_t position; /* of the file, for read() */
	uint64_t offset[READING_STRETCH];
	/* Sum of all words read; or exclusive or of a word of each block. */
	uint64_t sum;
	struct file_counts before;
	uint64_t blocks, right;
	uint64_t uncounted; /* blocks read before the counts in `before` */
};

/* file_reading_open() - in setup(), after the files, the first of which is
 * read from a device, if any.  Return: 0 or bench_fail(). */
int file_reading_open(struct bench *b, struct file_reading *s);

bool file_reading_point(struct bench *b, void *state, struct bench_case *c);
int file_reading_enter(struct bench *b, void *state,
		       const struct bench_case *c);
int file_reading_prepare(struct bench *b, void *state,
			 const struct bench_case *c);
int file_reading_sample(struct bench *b, void *state,
			const struct bench_case *c);
void file_reading_leave(struct bench *b, void *state,
			const struct bench_case *c);

/* file_reading_time() - read the next stretch, for a sample() of another kind.
 * Return: as of a callback. */
int file_reading_time(struct bench *b, struct file_reading *s, uint64_t *ticks);

#endif
