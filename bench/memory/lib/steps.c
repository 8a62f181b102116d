/* SPDX-License-Identifier: MIT */
#include "steps.h"

#include <errno.h>
#include <math.h>

/* A plateau has at least so many points, which are nearer to each other than
 * two plateaus are: L1 to L2 is 3 times, a TLB step less. */
#define LEAST_POINTS 3
#define APART	     1.25

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
		    levels_median(y, from, to) - l[-1].latency_ns < log(APART))
			l--;
		else
			all[count++].first = from;
		l->last = to - 1;
		l->latency_ns = levels_median(y, l->first, to);
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
	levels_pool(y, n, fit);
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
