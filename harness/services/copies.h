/* SPDX-License-Identifier: MIT */
#ifndef COPIES_H
#define COPIES_H

#include <stdatomic.h>

#include "partner.h"
#include "program.h"

/*
 * --copies: the operation of any program on several CPUs at once.
 *
 * It stands between the harness and the program: to the harness it is a program
 * whose events are windows of time, in which all copies are at work.  A copy is
 * a process, or a thread of one process, that is pinned to a CPU of its own and
 * goes through the life of the program: state, cases, setup, visit, teardown.
 *
 * A window opens when every copy has done a batch (or event), and closes when
 * its time is over and all have done enough; what begins before or ends after
 * is not counted, and all go on until it is closed.  So the copies are at
 * work together in all that is counted, whoever started first or is slower.
 */

#define COPIES_MOST 512

/* copies_choose() - take @cpus, which says how many: "1,2,4,all", each at most
 * COPIES_MOST; "all" are those that this process may use.  Return: whether it
 * does. */
bool copies_choose(const char *cpus);

/* copies_wrap() - measure so many copies of *@desc instead: it and *@state,
 * whose options are filled in, become those of the copies. */
void copies_wrap(const struct bench_desc **desc, void **state);

#define COPIES_COUNTS 32 /* numbers of copies, at most */

/*
 * The copies of one case that are at work together, each with a life of the
 * program of its own: for copies.c and file_contention.
 */
#define CREW_LINE      64
#define CREW_EVIDENCES 12

/* A batch or an event is a chunk; only those in an open window are counted. The
 * window is a number: odd is open, even is closed, and 0 is one that nobody has
 * seen yet. */
#define CREW_FIRST	     2
#define CREW_IS_OPEN(window) ((window)&1)
#define CREW_ENDED	     (UINT32_MAX - 1)

/* The result of one copy. */
struct crew_share {
	_Alignas(CREW_LINE) _Atomic uint64_t counted; /* chunks in the window */
	_Atomic uint32_t seen; /* the window, after its last chunk */
	double ops, ns;	       /* in the window */
	double latency;	       /* the median of its chunks, ns an operation */
	uint64_t from, to;     /* of what is counted, CLOCK_MONOTONIC */
	bool at_home, skips;   /* on its own CPU; why is a reason to skip */
	bool impure;	       /* an event was no sample */
	char why[256];
	struct evidence said[CREW_EVIDENCES]; /* of the visit */
	size_t n_evidences;
};

/* Memory of all copies. */
struct crew_page {
	_Alignas(CREW_LINE) _Atomic uint32_t window;
	_Atomic uint32_t failed;       /* the first that has, from 1 on */
	uint64_t iters;		       /* in a batch */
	uint64_t opened_ns, closed_ns; /* the last window */
	struct crew_share of[];
};

/* A copy's own program. */
struct crew_life {
	struct bench b;
	struct case_run *run;	 /* that is visited */
	struct case_run *target; /* that gets the samples: it, or one derived */
	struct sample_vec each;	 /* chunk of the window, ns an operation */
};

struct crew {
	const struct bench_desc *desc; /* of the program */
	const void *pristine;	       /* its state, as its options left it */
	int *cpu;		       /* of each copy, the first one's first;
					* NULL: wherever the kernel puts it */

	/* While a case is visited. */
	struct bench *b; /* of the harness */
	size_t inner;	 /* the case's id in the program */
	bool threads;
	unsigned int n;
	struct crew_life *lead; /* the first copy, in the measuring thread */
	struct crew_page *page;
	/* The others; the first one, too, where none has a CPU of its own: the
	 * measuring thread is none of them, and sleeps most of the time. */
	struct partner *member;
	bool at_work; /* from the first window to the last */
};

/**
 * crew_start() - begin all lives, up to their first operation, and find out how
 * many operations make a chunk.
 * @iters: 0, or what it was last time.
 *
 * Return: 0 or as of a callback.
 */
int crew_start(struct crew *w, struct bench *b, uint64_t *iters);

/* crew_window() - a window of work by all, whose shares are valid until the
 * next.  Nobody sleeps between two: a core that wakes is slow for some
 * milliseconds.  Return: 0 or as of a callback. */
int crew_window(struct crew *w, struct bench *b);

/* crew_end() - end all lives; evidence and facts go to @c, which may fail. */
void crew_end(struct crew *w, struct bench *b, const struct bench_case *c);

/* crew_stop() - whatever they do; no crew is fine. */
void crew_stop(struct crew *w);

#endif
