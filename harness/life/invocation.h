/* SPDX-License-Identifier: MIT */
#ifndef INVOCATION_H
#define INVOCATION_H

#include "program.h"

/* One execution of a benchmark in this process, from its beginning to its end.
 */

/* What to do; from the command line and the supervisor. */
struct invocation_plan {
	int cpu;	  /* -1: choose */
	const char *kind; /* of CPU to choose; NULL: the fastest */
	int method;	  /* enum timer_method, or -1: choose */
	double effort;	  /* 1.0 is the usual */
	double share_ms;  /* for all samples, at that effort */
	uint64_t seed;
	int64_t round;		      /* -1: not in a run */
	const char *dir;	      /* NULL: choose */
	int guard_fd;		      /* -1: none */
	bool first_process;	      /* of its supervisor */
	double tsc_hz;		      /* 0: measure it */
	bool counters;		      /* count events, too */
	const struct opt_list *globs; /* cases to run; empty: all */
	const char *const *core_rows; /* patterns, NULL at the end */
	bool core;		      /* only those */
};

/**
 * invocation_open() - make @b ready for cases(): topology, CPU, list of cases.
 * Nothing is measured and nothing pinned yet.
 *
 * Return: an exit code (err.h); on other than EXIT_OK @b->why says why.
 */
int invocation_open(struct bench *b, const struct bench_desc *desc, void *state,
		    const struct invocation_plan *plan);

/* invocation_select() - apply --case and --core.  Return: EXIT_OK, EXIT_USAGE
 * if a glob matches nothing, EXIT_SKIP if there is no core row. */
int invocation_select(struct bench *b, const struct invocation_plan *plan);

/* invocation_measure() - pin, calibrate, set up, sample, derive, tear down.
 * Return: EXIT_OK, or an exit code with @b->why set. */
int invocation_measure(struct bench *b, const struct invocation_plan *plan);

/* invocation_close() - free everything. */
void invocation_close(struct bench *b);

#endif
