/* SPDX-License-Identifier: MIT */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the levels of the memory hierarchy in a curve of latency against
 * size.
 *
 * Latency does not fall with size, so where a curve falls it is noise: first
 * the nearest curve that never falls is taken (wherever it falls, the points
 * around are pooled to their median).  So noise is taken out where there is
 * some, and as much as there is: memory and a cache that others use scatter
 * by 20 %, the first cache by 1 %.
 *
 * That curve is taken for plateaus with ramps between them.  Of all ways to
 * cut it up, the one with the least cost is taken (dynamic programming over
 * the points, exact): a point on a plateau costs its distance from the
 * plateau's median (of the logarithms), each plateau costs LEVELS_PLATEAU,
 * and a point on a ramp costs LEVELS_RAMP, whatever its value.  Then plateaus
 * that are not LEVELS_RATIO apart are one.
 *
 * Source: pooling as in Ayer et al., "An empirical distribution function for
 * sampling with incomplete information", Annals of Mathematical Statistics
 * 26(4), 1955, with medians; optimal partitioning of Jackson et al., "An
 * algorithm for optimal partitioning of data on an interval", IEEE Signal
 * Processing Letters 12(2), 2005; the cost is ours.
 */
#define LEVELS_MAX     8
#define LEVELS_CURVE   128  /* points of a curve, at most */
#define LEVELS_POINTS  3    /* a plateau has at least so many */
#define LEVELS_PLATEAU 0.25 /* as much as 25 % off in one point */
#define LEVELS_RAMP    0.10 /* above the noise of a quiet machine */
#define LEVELS_RATIO   1.25 /* L1 to L2 is a factor of 3, a TLB step less */
#define LEVELS_CLEAR   1.5  /* from a cache to memory: see levels_known() */

struct level {
	double latency_ns;  /* median of its plateau */
	size_t first, last; /* points of its plateau, without the ramps */
};

/**
 * levels_find() - the levels of a curve of which nothing is known.
 * @size_bytes: ascending, @n points.  @latency_ns: positive.
 * @levels: gets at most LEVELS_MAX, ascending; the last one is memory.
 *
 * Return: how many, 0 if there is no plateau; or -EINVAL.
 */
int levels_find(const double *size_bytes, const double *latency_ns, size_t n,
		struct level levels[LEVELS_MAX]);

/**
 * levels_rise() - where the curve begins to rise behind its last plateau, if
 * no plateau follows: behind the last point that is not LEVELS_RATIO above.
 * @latency_ns: the @n points that @l, the last level, was found in.
 *
 * Return: index of that point, or -ENOENT if fewer than two are behind it.
 */
int levels_rise(const double *latency_ns, size_t n, const struct level *l);

/* levels_is_of() - whether @size_bytes is of the cache @which of @caches: twice
 * the smaller one misses that, and half of its own fits even where pages of 4
 * KiB fill its sets unevenly. */
bool levels_is_of(const double *caches, size_t which, double size_bytes);

/**
 * levels_known() - the level of a cache whose size is known.  It needs no
 * plateau.
 * @size_bytes, @latency_ns: as for levels_find().
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
 * level and from the next take.  Noise is pooled as levels_find() does.
 *
 * Return: index of that point, or -ENOENT if all are behind it.
 */
int levels_end(const double *size_bytes, const double *latency_ns, size_t n,
	       double here_ns, double next_ns);

#endif
