/* SPDX-License-Identifier: MIT */
#ifndef FILE_KNEE_H
#define FILE_KNEE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where a curve of time against size jumps.
 *
 * Of all ways to cut the points in two, the one is taken that leaves the least
 * sum of distances from the medians of both sides (in logarithms).  It counts
 * only if the medians are KNEE_RATIO apart, and if each of the two points at
 * the cut is nearer to its own side's median.
 */
#define KNEE_RATIO  1.5 /* reads from the slowest memory to the fastest disk */
#define KNEE_POINTS 64

struct file_knee {
	double size_bytes;  /* in the middle between the next two */
	double fits_bytes;  /* the largest size that is before the jump */
	double fails_bytes; /* the smallest that is behind it */
	double cached_ns;   /* medians of the two sides */
	double uncached_ns;
};

/**
 * file_knee_find() - find it.
 * @size_bytes: ascending; @ns: positive; @n of each, at most KNEE_POINTS.
 *
 * Return: 0, -ENOENT if there is no such jump, -EINVAL.
 */
int file_knee_find(struct file_knee *k, const double *size_bytes,
		   const double *ns, size_t n);

/* file_knee_mean() - of the times of @n parts of a file, of which the slowest
 * is left out if there are enough: the reader was kept from running for some
 * ms, maybe, which looks like reading from the disk.  A file that does not fit
 * has more than one part that is slow. */
double file_knee_mean(double sum, double slowest, unsigned int n);

/* Points as they are found, ascending. */
struct file_sweep {
	double size_bytes[KNEE_POINTS], ns[KNEE_POINTS];
	size_t n;
	struct file_knee knee; /* when file_sweep() has found it */
};

/* Time for a block of a file of @size_bytes to @ns.  Return: 0 or -errno. */
typedef int file_measure_fn(void *arg, uint64_t size_bytes, double *ns);

/**
 * file_sweep() - find the knee with few points: measure @first (ascending),
 * then @halvings times the middle of what is left between the largest size
 * that fits and the smallest that does not, in whole @step_bytes.
 *
 * Return: 0, -ENOENT if there is no jump in @first, or what @measure returned.
 */
int file_sweep(struct file_sweep *s, const uint64_t *first, size_t n,
	       unsigned int halvings, uint64_t step_bytes,
	       file_measure_fn *measure, void *arg);

#endif
