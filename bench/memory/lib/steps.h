/* SPDX-License-Identifier: MIT */
#ifndef STEPS_H
#define STEPS_H

#include "levels.h"

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
#define LEVELS_MAX 8
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
