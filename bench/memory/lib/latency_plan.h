/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_PLAN_H
#define LATENCY_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "bench.h"
#include "mem_buffer.h"

/*
 * What mem_latency measures: which orders, on which pages, through how much
 * memory, and from which NUMA node to which.
 */
extern const char latency_points[];

#define LATENCY_MAX    128 /* sizes of the curve */
#define LATENCY_LEVELS 3   /* caches that hwloc is asked for */
#define LATENCY_PAIRS  64  /* ratios that are kept of a case */

/* Up to here cases are interleaved: they are cheap to link. */
#define LATENCY_SMALL ((size_t)1 << 20)

enum latency_pattern { WINDOW, RANDOM, PAGE_LOCAL, CHUNK, STRIDE, PAGE };

/* The state of a case. */
struct latency_spec {
	enum latency_pattern pattern;
	enum mem_pages pages;
	size_t stride, bytes;
	int from, to;	/* NUMA nodes, -1: where the program happens to be */
	double held_ns; /* of a load, in the first pass; 0: not timed */
	/* Core cycles of a load (LATENCY_SMALL and less), or the core's
	 * frequency, from moment to moment. */
	double pair[LATENCY_PAIRS];
	double share[LATENCY_PAIRS]; /* reference_share() beside each */
	size_t n_pairs;
};

/* As hwloc says; [0] is not used. */
struct latency_plan {
	double cache_bytes[LATENCY_LEVELS + 1];
};

/* latency_plan_set() - what the text needs to know of this machine. */
void latency_plan_set(struct bench *b, struct latency_plan *p);

/* latency_plan_fill() - the spec of @c, from its values.  @pass: the sample()
 * of those that are timed in whole passes, of c->ops loads: chains that the
 * first caches do not hold and the last one can. */
void latency_plan_fill(struct bench *b, struct bench_case *c,
		       bench_case_fn *pass);

/* latency_plan_largest() - bytes of the largest case with these pages that is
 * selected and not bound to a node, 0 if none is. */
size_t latency_plan_largest(const struct bench *b, enum mem_pages pages);

/* latency_is_curve() - whether @spec is a point of the curve that the levels
 * are found in. */
bool latency_is_curve(const struct latency_spec *spec);

#endif
