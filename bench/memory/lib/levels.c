/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stats.h"

/* A plateau has at least so many points, which are nearer to each other than
 * two plateaus are: L1 to L2 is 3 times, a TLB step less. */
#define LEAST_POINTS 3
#define APART	     1.25

/* Of y[from..to). */
static double median(const double *y, size_t from, size_t to)
{
	double work[LEVELS_CURVE];

	memcpy(work, y + from, (to - from) * sizeof(*work));
	return stats_median(work, to - from);
}

/*
 * Into @fit the curve nearest to @y that never falls.  Latency does not fall
 * with size, so where a curve falls it is noise, and the points around are
 * pooled to their median: noise is taken out where there is some, and as much
 * as there is.  Memory and a cache that others use scatter by 20 %, the first
 * cache by 1 %.
 *
 * Source: Ayer et al., "An empirical distribution function for sampling with
 * incomplete information", Annals of Mathematical Statistics 26(4), 1955, here
 * with medians.
 */
static void pool(const double *y, size_t n, double *fit)
{
	size_t from[LEVELS_CURVE + 1], blocks = 0;

	for (size_t i = 0; i < n; i++) {
		from[blocks] = i;
		fit[blocks++] = y[i];
		for (; blocks > 1 && fit[blocks - 1] < fit[blocks - 2];
		     blocks--)
			fit[blocks - 2] = median(y, from[blocks - 2], i + 1);
	}
	/* From the blocks to their points, the last one first: a block is never
	 * behind its points. */
	for (size_t i = n; i > 0; i--) {
		while (from[blocks - 1] >= i)
			blocks--;
		fit[i - 1] = fit[blocks - 1];
	}
}

int levels_end(const double *latency_ns, size_t n, double here_ns,
	       double next_ns)
{
	const double half = sqrt(here_ns * next_ns);
	double fit[LEVELS_CURVE];
	int last = -ENOENT;

	if (n > LEVELS_CURVE)
		return -ENOENT;
	pool(latency_ns, n, fit);
	for (size_t i = 0; i < n && fit[i] <= half; i++)
		last = (int)i;
	return last;
}

bool levels_is_of(const double *caches, size_t which, double size_bytes)
{
	return !(which && size_bytes < 2 * caches[which - 1]) &&
	       !(2 * size_bytes > caches[which]);
}

/* Whether a cache holds a size, and its loads are clearly no memory's. */
static bool is_held(const double *caches, size_t which, double size_bytes,
		    double latency_ns, double memory_ns)
{
	return levels_is_of(caches, which, size_bytes) &&
	       !(latency_ns * LEVELS_CLEAR > memory_ns);
}

int levels_known(const double *size_bytes, const double *latency_ns, size_t n,
		 const double *caches, size_t which, double memory_ns,
		 struct level *l)
{
	size_t from = 0, to;

	/* With a smaller one unknown nothing separates the two. */
	for (size_t i = 0; i <= which; i++)
		if (!(caches[i] > 0))
			return -ENOENT;
	while (from < n && !is_held(caches, which, size_bytes[from],
				    latency_ns[from], memory_ns))
		from++;
	for (to = from; to < n && is_held(caches, which, size_bytes[to],
					  latency_ns[to], memory_ns);
	     to++)
		;
	if (to == from)
		return -ENOENT;
	*l = (struct level) { median(latency_ns, from, to), from, to - 1 };
	return 0;
}

int steps_gap(const double *ns, int from, int n)
{
	int i = from;

	while (i < n && isfinite(ns[i]))
		i++;
	return i;
}

int steps_ways(const double *ns, int from, int count, int n, double step)
{
	double base = INFINITY;

	for (int i = from; i < from + count && i < n; i++)
		base = fmin(base, ns[i]);
	for (int i = from + 1; i + 2 < n; i++)
		if (ns[i] > base * step && ns[i + 1] > base * step &&
		    ns[i + 2] > base * step)
			return i;
	return 0;
}

/* The levels of @y into @all, latencies as logarithms: LEAST_POINTS or more in
 * a row of which @fit, which never falls, is less than APART above the first
 * are a plateau.  One too near to the plateau before is a part of it, and a
 * lower one is noise.  Return: how many. */
static size_t plateaus(const double *y, const double *fit, size_t n,
		       struct level *all)
{
	size_t count = 0, to;

	for (size_t from = 0; from < n; from = to) {
		struct level *l = &all[count];

		for (to = from; to < n && fit[to] - fit[from] < log(APART);)
			to++;
		if (to - from < LEAST_POINTS) {
			to = from + 1;
			continue;
		}
		if (count &&
		    median(y, from, to) - l[-1].latency_ns < log(APART))
			l--;
		else
			all[count++].first = from;
		l->last = to - 1;
		l->latency_ns = median(y, l->first, to);
	}
	return count;
}

int steps_levels(const double *size_bytes, const double *latency_ns, size_t n,
		 struct level levels[LEVELS_MAX])
{
	/* More than ulimit -s may allow. */
	static double y[LEVELS_CURVE], fit[LEVELS_CURVE];
	static struct level all[LEVELS_CURVE];
	size_t count;

	if (n > LEVELS_CURVE)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!(latency_ns[i] > 0) || !(size_bytes[i] > 0))
			return -EINVAL;
		y[i] = log(latency_ns[i]);
	}
	pool(y, n, fit);
	count = plateaus(y, fit, n, all);
	/* More than that many is no memory hierarchy. */
	if (count > LEVELS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		levels[i] = all[i];
		levels[i].latency_ns = exp(all[i].latency_ns);
	}
	return (int)count;
}

int steps_rise(const double *latency_ns, size_t n, const struct level *l)
{
	size_t end = n;

	while (end > l->last + 1 && latency_ns[end - 1] > APART * l->latency_ns)
		end--;
	/* One point far off is no rise. */
	return n - end >= 2 ? (int)end - 1 : -ENOENT;
}
