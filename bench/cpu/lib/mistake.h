/* SPDX-License-Identifier: MIT */
#ifndef MISTAKE_H
#define MISTAKE_H

#include "bench.h"
#include "naive.h"
#include "partner.h"

/* The mistakes of the lab of wrong numbers, and how both figures of each are
 * measured. */
enum mistake_figure { NAIVE, RIGHT, FACTOR };
enum mistake_name {
	SINGLE_SHOT,
	UNFENCED,
	TICKS_AS_CYCLES,
	CLOCK_STEP,
	NO_WARM_UP,
	MEAN_UNDER_NOISE,
	MIN_OF_DIFFERENCES,
	ONE_PROCESS,
	REMOVED,
	OVERLAPPED,
	STRIDED_CHASE,
	FAULT_AROUND,
	ROUND_TRIP,
	UNPINNED,
	MISTAKES
};

/* How a figure is got: by run(), by sample(), or, with neither, by what the
 * other figure's sample() records or derive() computes. */
struct mistake_way {
	bench_run_fn *run;
	bench_case_fn *sample;
	enum bench_estimator estimator;
	unsigned int ops, most;
};

struct mistake {
	const char *name;
	struct mistake_way way[FACTOR];
	/* The factor that is claimed of it; 0: none on this side. */
	double at_most, at_least;
	const char *unit;
	bool needs_tsc, needs_step;
	bool whole; /* one visit: to make it ready takes long */
	bool switches;
};

extern const struct mistake mistake_table[MISTAKES];

#define MISTAKE_FILE_BYTES ((size_t)1 << 20) /* in the page cache */

#define MISTAKE_LOADS 16 /* of a chase, in one iteration */

struct mistakes_state {
	uint64_t x, y; /* operands */
	double shot_ns;
	const struct bench_case *right; /* the row beside, in this visit */
	bool strided;			/* the chase of this visit */
	pid_t parent;
	struct partner disturber;
	struct naive_pair pair;
	char *memory; /* to chase through */
	size_t bytes;
	void *at, *from;
	int file; /* 0: none */
};

#endif
