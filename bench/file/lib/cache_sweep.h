/* SPDX-License-Identifier: MIT */
#ifndef CACHE_SWEEP_H
#define CACHE_SWEEP_H

#include <stdint.h>

#include "cache_reader.h"
#include "file_knee.h"

/**
 * cache_sweep_machine() - find the cache of the whole machine: write a file
 * larger than memory, read parts of it and remove it.
 * @unit_bytes: 1/16 of the memory.
 * @knee: gets the evidence of what was read.
 *
 * Return: 0 (also if there is no knee), bench_fail() or bench_skip().
 */
int cache_sweep_machine(struct bench *b, struct cache_reader *r,
			struct file_sweep *w, uint64_t unit_bytes,
			const struct bench_case *knee);

#endif
