/* SPDX-License-Identifier: MIT */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The levels of the memory hierarchy in a curve of latency against size, where
 * the caches are known (where not: steps.h).
 */
#define LEVELS_CURVE 128 /* points of a curve, at most */
#define LEVELS_CLEAR 1.5 /* from a cache to memory: see levels_known() */

struct level {
	double latency_ns;  /* median of its points */
	size_t first, last; /* these, without the ramps beside them */
};

/**
 * levels_pool() - into @fit the curve nearest to @y that never falls.  Latency
 * does not fall with size, so where a curve falls it is noise, and the points
 * around are pooled to their median: noise is taken out where there is some,
 * and as much as there is.  Memory and a cache that others use scatter by 20 %,
 * the first cache by 1 %.
 *
 * Source: Ayer et al., "An empirical distribution function for sampling with
 * incomplete information", Annals of Mathematical Statistics 26(4), 1955, here
 * with medians.
 */
void levels_pool(const double *y, size_t n, double *fit);

/* levels_median() - of y[from..to). */
double levels_median(const double *y, size_t from, size_t to);

/* levels_is_of() - whether @size_bytes is of the cache @which of @caches: twice
 * the smaller one misses that, and half of its own fits even where pages of 4
 * KiB fill its sets unevenly. */
bool levels_is_of(const double *caches, size_t which, double size_bytes);

/**
 * levels_known() - the level of a cache whose size is known.  It needs no
 * plateau.
 * @size_bytes: ascending, @n points.  @latency_ns: positive.
 * @caches: sizes of all caches, ascending; 0 is unknown, and then so are the
 * larger ones.
 * @which: index of the one that is asked for.
 * @memory_ns: what a load from memory takes, NAN if it is not known.
 * @l: its points are the first of its sizes that are LEVELS_CLEAR below memory,
 * on to the next one that is not: there others have taken the cache.
 *
 * Return: 0, or -ENOENT if a cache is unknown or no point is left.
 */
int levels_known(const double *size_bytes, const double *latency_ns, size_t n,
		 const double *caches, size_t which, double memory_ns,
		 struct level *l);

/**
 * levels_end() - where a level ends: the last point before the curve passes
 * half-way (in logarithms) from @here_ns to @next_ns, which loads from this
 * level and from the next take.  Noise is pooled before.
 *
 * Return: index of that point, or -ENOENT if all are behind it.
 */
int levels_end(const double *latency_ns, size_t n, double here_ns,
	       double next_ns);

#endif
