/* SPDX-License-Identifier: MIT */
#ifndef FILE_KNEE_H
#define FILE_KNEE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The size from which on a file no longer fits into the cache: the counters of
 * storage say which sizes do (less than KNEE_CACHED came from there), and the
 * clock must show it too: the medians of both sides are KNEE_RATIO apart.
 */
#define KNEE_CACHED (1 / 16.0)
#define KNEE_RATIO  1.5 /* reads from the slowest memory to the fastest disk */
#define KNEE_POINTS 64

struct file_size {
	double bytes, ns; /* of the file, for a block */
	double stored;	  /* share that came from storage, above 1 with what
			   * was read ahead for nothing */
};

/* The sizes that were measured, ascending, and what they tell. */
struct file_knee {
	struct file_size size[KNEE_POINTS];
	size_t n;
	double bytes;		       /* in the middle between the next two */
	double fits;		       /* the largest size that does */
	double fails;		       /* the smallest that does not */
	double cached_ns, uncached_ns; /* medians of the two sides */
};

/* knee_add() - one more size.  Return: 0, or -ERANGE if there are KNEE_POINTS.
 * knee_find() - Return: 0, -ENOENT if there is no jump, or -EUCLEAN if a size
 * fits that is larger than one that does not: the cache was not the same for
 * both. */
int knee_add(struct file_knee *k, struct file_size size);
int knee_find(struct file_knee *k);

/* Time for a block of a file of @bytes to @size, and which share of it came
 * from storage.  Return: 0 or -errno. */
typedef int knee_measure_fn(void *arg, uint64_t bytes, struct file_size *size);

/**
 * knee_sweep() - find it with few sizes: measure @first (ascending), then
 * @halvings times the middle of what is left between the largest that fits and
 * the smallest that does not, in whole @step_bytes.
 *
 * Return: 0, what knee_find() says of @first or later, or what @measure
 * returned.
 */
int knee_sweep(struct file_knee *k, const uint64_t *first, size_t n,
	       unsigned int halvings, uint64_t step_bytes,
	       knee_measure_fn *measure, void *arg);

#endif
