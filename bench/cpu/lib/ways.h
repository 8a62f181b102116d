/* SPDX-License-Identifier: MIT */
#ifndef WAYS_H
#define WAYS_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/* The ways of the benchmark `ways`: one row of a table each. */

/* What its third axis is: nothing, n= or bytes=. */
enum way_points {
	WAY_ONE,
	WAY_BATCHES,
	WAY_SIZES,
	WAY_FOLIOS,
	WAY_RANDOMS,
};

#define WAYS_MOST  64		     /* of a batch */
#define WAYS_BYTES ((size_t)8 << 20) /* of memory for all ways: 128 pages */
#define WAYS_BLOCK 4096

struct ways {
	size_t n; /* the point: how many, or bytes */
	int fd[WAYS_MOST], fds;
	char *memory;	 /* WAYS_BYTES, touched */
	uint64_t wanted; /* of done, in one iteration or event */
	uint64_t done;
	uint64_t submits, woken; /* of a ring with a thread */
	struct pollfd poll[WAYS_MOST];
	void *call;  /* of the vDSO */
	char *state; /* of the vDSO's generator */
	size_t state_bytes, in_pipe;
	struct io_uring *ring;
	int op;
	char name[64];
};

struct way {
	const char *what, *by;
	enum way_points points;
	int (*open)(struct bench *b, struct ways *s);
	bench_run_fn *run;
	bench_case_fn *sample;
	bool switches;
	int op;
};

/* One after the other; they end with an empty row. */
extern const struct way ways_rings[], ways_calls[], ways_memory[], ways_net[];

/* ways_keep() - @fd is closed when the visit ends.  Return: @fd. */
static inline int ways_keep(struct ways *s, int fd)
{
	if (fd >= 0)
		s->fd[s->fds++] = fd;
	return fd;
}

/* WAYS_SAMPLE() - sample_@name() of a way whose event is @happens, which tells
 * whether it was done, and may use s. */
#define WAYS_SAMPLE(name, happens)                                             \
	static int sample_##name(struct bench *b, void *state,                 \
				 const struct bench_case *c)                   \
	{                                                                      \
		struct ways *s = state;                                        \
		uint64_t ticks;                                                \
		bool done;                                                     \
                                                                               \
		TIMER_INTERVAL(bench_timer(b)->method, ticks, done = happens); \
		s->done += done;                                               \
		bench_record(b, c, ticks);                                     \
		return 0;                                                      \
	}

/* ways_ring_close() - none is fine. */
void ways_ring_close(struct ways *s);

#endif
