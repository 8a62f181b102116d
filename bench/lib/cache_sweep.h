/* SPDX-License-Identifier: MIT */
#ifndef CACHE_SWEEP_H
#define CACHE_SWEEP_H

#include <stdint.h>

#include "cache_reader.h"
#include "file_knee.h"

/*
 * The sizes of a file that were read again, and what the counters of the
 * reading process say of where they came from.
 */
struct cache_sweep {
	struct file_sweep points;
	double stored[KNEE_POINTS]; /* share from storage, in order of time */
	double bytes[KNEE_POINTS];  /* the sizes, in the same order */
	size_t n;
};

/* cache_sweep_note() - a size was read, in such parts. */
void cache_sweep_note(struct cache_sweep *w, uint64_t size_bytes,
		      const struct file_parts *parts);

/* cache_sweep_confirm() - evidence for @knee: of all sizes the counters must
 * agree with the side of @k on which the clock has them.  None where these
 * counters do not count. */
void cache_sweep_confirm(struct bench *b, const struct cache_sweep *w,
			 const struct bench_case *knee,
			 const struct file_knee *k);

/**
 * cache_sweep_machine() - find the cache of the whole machine: write a file
 * larger than memory, read parts of it and remove it.
 * @unit_bytes: 1/16 of the memory.
 * @knee: gets the evidence of what was read.
 *
 * Return: 0 (also if there is no knee), bench_fail() or bench_skip().
 */
int cache_sweep_machine(struct bench *b, struct cache_reader *r,
			struct cache_sweep *w, uint64_t unit_bytes,
			const struct bench_case *knee);

#endif
