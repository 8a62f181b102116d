/* SPDX-License-Identifier: MIT */
#ifndef LEVELS_H
#define LEVELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Finds the levels of the memory hierarchy in a curve of latency against
 * size.
 *
 * The curve is taken for plateaus with ramps between them.  Of all ways to
 * cut it up, the one with the least cost is taken (dynamic programming over
 * the points, exact): a point on a plateau costs its distance from the
 * plateau's median (of the logarithms), each plateau costs LEVELS_PLATEAU,
 * and a point on a ramp costs LEVELS_RAMP, whatever its value.  Then plateaus
 * that are not LEVELS_RATIO apart are one.  A level's size is the largest
 * size before the curve passes half-way (in logarithms) to the next plateau.
 *
 * Source: optimal partitioning of Jackson et al., "An algorithm for optimal
 * partitioning of data on an interval", IEEE Signal Processing Letters 12(2),
 * 2005; the cost is ours.
 */
#define LEVELS_MAX     8
#define LEVELS_POINTS  3    /* a plateau has at least so many */
#define LEVELS_PLATEAU 0.25 /* as much as 25 % off in one point */
#define LEVELS_RAMP    0.10 /* above the noise of a quiet machine */
#define LEVELS_RATIO   1.25 /* L1 to L2 is a factor of 3, a TLB step less */

struct level {
	double size_bytes;  /* largest size that still fits; of the last level:
			     * largest size in the curve */
	double latency_ns;  /* median of its plateau */
	size_t first, last; /* points of its plateau */
};

/**
 * levels_find() - the levels of a curve.
 * @size_bytes: ascending, @n points.  @latency_ns: positive.
 * @levels: gets at most LEVELS_MAX, ascending; the last one is memory.
 *
 * Return: how many, 0 if there is no plateau; or -ENOMEM, -EINVAL.
 */
int levels_find(const double *size_bytes, const double *latency_ns, size_t n,
		struct level levels[LEVELS_MAX]);

/* levels_above() - the least of @n ascending sizes that is larger than @size,
 * which does not fit any more; @size if there is none. */
double levels_above(const double *size_bytes, size_t n, double size);

/**
 * levels_match() - which of @levels is the cache of @cache_bytes.
 * @caches: sizes of all caches, ascending, @count of them; 0 is unknown.
 * @which: index of the one that is asked for.
 *
 * A detected level belongs to the cache that is nearest to it in size, by
 * ratio; if two are, the nearer one does.  The last level is memory and
 * belongs to none.
 *
 * Return: index in @levels, or -ENOENT.
 */
int levels_match(const struct level *levels, size_t n, const double *caches,
		 size_t count, size_t which);

#endif
