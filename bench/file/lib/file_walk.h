/* SPDX-License-Identifier: MIT */
#ifndef FILE_WALK_H
#define FILE_WALK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In which order blocks are visited: one after the other, or each once in a
 * random order, so that what was just read is not met again.
 */
struct file_walk {
	uint64_t blocks; /* in random order: a power of two */
	uint64_t at;	 /* how many were visited since the start */
	uint64_t next;	 /* sequential: which block */
	uint64_t mix[3];
	unsigned int shift;
	bool random;
};

/* file_walk_start() - begin at a place that @seed gives: in sequence at @seed
 * itself, modulo the largest power of two that is not above @blocks. */
static inline void file_walk_start(struct file_walk *w, uint64_t blocks,
				   bool random, uint64_t seed)
{
	unsigned int bits = 0;

	while (blocks >> bits > 1)
		bits++;
	*w = (struct file_walk) {
		.blocks = blocks,
		.next = seed & ((UINT64_C(1) << bits) - 1),
		.mix = { seed * 2 + 1, seed >> 20, (seed >> 7) | 1 },
		.shift = bits > 1 ? (bits + 1) / 2 : 1,
		.random = random,
	};
}

/* file_walk_next() - the next block's number; after all, the same again. */
static inline uint64_t file_walk_next(struct file_walk *w)
{
	const uint64_t mask = w->blocks - 1;
	uint64_t x = w->at++;

	if (!w->random) {
		x = w->next++;
		if (w->next == w->blocks)
			w->next = 0;
		return x;
	}
	/* Each step maps the numbers below a power of two onto themselves. */
	x = (x * w->mix[0] + w->mix[1]) & mask;
	x ^= x >> w->shift;
	x = (x * w->mix[2]) & mask;
	x ^= x >> w->shift;
	x = (x * 0x9E3779B97F4A7C15u) & mask;
	return x ^ (x >> w->shift);
}

#endif
