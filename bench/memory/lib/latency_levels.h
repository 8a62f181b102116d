/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_LEVELS_H
#define LATENCY_LEVELS_H

#include "bench.h"
#include "latency_plan.h"

/* The rows of mem_latency that are found in its curve: size, latency and core
 * cycles of each cache and of memory. */
enum latency_figure { FIG_SIZE, FIG_LATENCY, FIG_CYCLES, FIGURES };

struct latency_levels {
	/* Level 0 is memory, 1 ... are caches. */
	const struct bench_case *row[LATENCY_LEVELS + 1][FIGURES];
};

/* latency_levels_add() - add the rows, in cases(). */
void latency_levels_add(struct bench *b, struct latency_levels *l,
			const struct latency_plan *p);

/* latency_levels_has_cycles() - whether core cycles of any level are wanted. */
bool latency_levels_has_cycles(const struct bench *b,
			       const struct latency_levels *l);

/* latency_levels_derive() - fill them, in derive(). */
void latency_levels_derive(struct bench *b, const struct latency_levels *l,
			   const struct latency_plan *p);

#endif
