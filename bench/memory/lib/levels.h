/* SPDX-License-Identifier: MIT */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The levels of the memory hierarchy in a curve of latency against size: where
 * the caches are known, and where they are not.
 */
#define LEVELS_CURVE 128 /* points of a curve, at most */
#define LEVELS_MAX   8	 /* levels of one of which nothing is known */
#define LEVELS_CLEAR 1.5 /* from a cache to memory: see levels_known() */

struct level {
	double latency_ns;  /* median of its points */
	size_t first, last; /* these, without the ramps beside them */
};

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

/*
 * Where a curve of latencies steps up from hits to misses.  A latency that is
 * not finite is a gap: what lies beyond it is not known.
 */

/* steps_gap() - the first gap from @from on in @ns of @n; @n: none. */
int steps_gap(const double *ns, int from, int n);

/**
 * steps_ways() - how many lines of one set still fit.  @ns[i] is for i + 1
 * lines, @n of them; those from @from on have no gap.
 *
 * Return: the last number of lines, @from + 1 at least, before three in a row
 * take more than @step times the fastest of the @count from @from on; 0 if all
 * fit.  One may be noise, three are not.
 */
int steps_ways(const double *ns, int from, int count, int n, double step);

/**
 * steps_levels() - the levels of a curve of which nothing is known.
 *
 * Its points are pooled so that it never falls.  A plateau is a few of them in
 * a row that are near to each other, the points between plateaus are ramps; and
 * plateaus that are too near to be two are one.
 *
 * @size_bytes: ascending, @n points.  @latency_ns: positive.
 * @levels: gets at most LEVELS_MAX, ascending; the last one is memory.
 * Return: how many, 0 if there is no plateau; or -EINVAL.
 */
int steps_levels(const double *size_bytes, const double *latency_ns, size_t n,
		 struct level levels[LEVELS_MAX]);

/**
 * steps_rise() - where the curve begins to rise behind its last plateau, if no
 * plateau follows: behind the last point that is not clearly above.
 * @latency_ns: the @n points that @l, the last level, was found in.
 *
 * Return: index of that point, or -ENOENT if fewer than two are behind it.
 */
int steps_rise(const double *latency_ns, size_t n, const struct level *l);

#endif
