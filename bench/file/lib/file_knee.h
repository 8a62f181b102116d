/* SPDX-License-Identifier: MIT */
#ifndef FILE_KNEE_H
#define FILE_KNEE_H

#include <stdbool.h>
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
	bool counted; /* the counters said which sizes fit, not the clock */
};

/**
 * file_knee_find() - find it.
 * @size_bytes: ascending; @ns: positive; @n of each, at most KNEE_POINTS.
 *
 * Return: 0, -ENOENT if there is no such jump, -EINVAL.
 */
int file_knee_find(struct file_knee *k, const double *size_bytes,
		   const double *ns, size_t n);

/*
 * The parts of a file of one size, read one after the other.  A pause of the
 * reader makes a part look like one that was not cached: whether any was read
 * from storage the counters say.
 */
#define FILE_PARTS 64

struct file_parts {
	double ns[FILE_PARTS]; /* for a block */
	unsigned int n;
	double bytes, stored_bytes;
};

/* file_parts_add() - @ns for a block of a part of @bytes, of which
 * @stored_bytes from storage (negative: not known, counts as none).  What is
 * more than FILE_PARTS is left out. */
void file_parts_add(struct file_parts *p, double ns, double bytes,
		    double stored_bytes);

/* file_parts_stored() - share that came from storage, above 1 with what was
 * read ahead for nothing; NAN if there is no part. */
double file_parts_stored(const struct file_parts *p);

/* file_parts_time() - for a block: the median of the parts where all were
 * cached, for a pause makes some of them longer; else the mean.  @counted:
 * whether anything is known of storage; if not, it is always the mean, the
 * slowest left out if there are four (what does not fit has more than one slow
 * part).  NAN if there is no part. */
double file_parts_time(const struct file_parts *p, bool counted);

/* Points as they are found, ascending. */
struct file_sweep {
	double size_bytes[KNEE_POINTS], ns[KNEE_POINTS];
	double stored[KNEE_POINTS]; /* share from storage */
	size_t n;
	struct file_knee knee; /* when file_sweep() has found it */
};

/* file_sweep_add() - one more.  Return: 0, or -ERANGE if there are
 * KNEE_POINTS. */
int file_sweep_add(struct file_sweep *s, double size_bytes, double ns,
		   double stored);

/**
 * file_sweep_find() - the knee by the counters of storage, if they count: a
 * size fits if less than 1/16 of it came from there.  The clock must show it
 * too: the medians of the times of both sides are KNEE_RATIO apart.  Where
 * nothing is counted, the clock alone decides: file_knee_find().
 *
 * Return: 0, -ENOENT if there is no jump, -EUCLEAN if a size fits that is
 * larger than one that does not: the cache was not the same for both.
 */
int file_sweep_find(const struct file_sweep *s, struct file_knee *k);

/* Time for a block of a file of @size_bytes to @ns, and to @stored which share
 * came from storage.  Return: 0 or -errno. */
typedef int file_measure_fn(void *arg, uint64_t size_bytes, double *ns,
			    double *stored);

/**
 * file_sweep() - find the knee with few points: measure @first (ascending),
 * then @halvings times the middle of what is left between the largest size
 * that fits and the smallest that does not, in whole @step_bytes.
 *
 * Return: 0, what file_sweep_find() says of @first or later, or what @measure
 * returned.
 */
int file_sweep(struct file_sweep *s, const uint64_t *first, size_t n,
	       unsigned int halvings, uint64_t step_bytes,
	       file_measure_fn *measure, void *arg);

#endif
