/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_LEVELS_H
#define LATENCY_LEVELS_H

#include "bench.h"

/* The rows of mem_latency that are found in its curve (pattern=window, base
 * pages): size, latency and core cycles of each cache and of memory. */
#define LATENCY_LEVELS 3  /* caches that hwloc is asked for */
#define LATENCY_PAIRS  64 /* ratios that are kept of a case */

/* Up to here cases are interleaved: they are cheap to link. */
#define LATENCY_SMALL ((size_t)1 << 20)

/* The state of a case. */
struct latency_spec {
	size_t bytes;
	double held_ns; /* of a load, in the first pass; 0: not timed */
	/* Core cycles of a load (LATENCY_SMALL and less), or the core's
	 * frequency, from moment to moment. */
	double pair[LATENCY_PAIRS];
	double share[LATENCY_PAIRS]; /* reference_share() beside each */
	size_t n_pairs;
};

/* latency_is_curve() - whether @c is a point of that curve. */
bool latency_is_curve(const struct bench_case *c);

/* latency_levels_add() - in cases(): what the rows are made from.
 * latency_levels_derive() - fill them, in derive().
 * @cache_bytes: of LATENCY_LEVELS caches, from [1] on; 0: unknown. */
void latency_levels_add(struct bench *b, const double *cache_bytes);
void latency_levels_derive(struct bench *b, const double *cache_bytes);

#endif
