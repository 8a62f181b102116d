/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stats.h"

/* The best way to cut up the points before i: its cost, and where its last
 * piece begins; a piece of one point with ramp set is on a ramp. */
struct cut {
	double cost;
	size_t from;
	bool ramp;
};

/* The median of y[from..to). */
static double median_of(const double *y, size_t from, size_t to)
{
	double work[LEVELS_CURVE];

	memcpy(work, y + from, (to - from) * sizeof(*work));
	return stats_median(work, to - from);
}

static double plateau_cost(const double *y, size_t from, size_t to)
{
	const double median = median_of(y, from, to);
	double sum = LEVELS_PLATEAU;

	for (size_t i = from; i < to; i++)
		sum += fabs(y[i] - median);
	return sum;
}

static void cut_up(const double *y, size_t n, struct cut *best)
{
	best[0] = (struct cut) { 0 };
	for (size_t i = 1; i <= n; i++) {
		best[i] = (struct cut) { best[i - 1].cost + LEVELS_RAMP, i - 1,
					 true };
		for (size_t k = 0; k + LEVELS_POINTS <= i; k++) {
			const double cost =
				best[k].cost + plateau_cost(y, k, i);

			if (cost < best[i].cost)
				best[i] = (struct cut) { cost, k, false };
		}
	}
}

/* Into @fit the curve nearest to @y that never falls: wherever it falls, the
 * points around are pooled to their median. */
static void rise(const double *y, size_t n, double *fit)
{
	size_t from[LEVELS_CURVE + 1], blocks = 0;

	for (size_t i = 0; i < n; i++) {
		from[blocks] = i;
		fit[blocks++] = y[i];
		for (; blocks > 1 && fit[blocks - 1] < fit[blocks - 2];
		     blocks--)
			fit[blocks - 2] = median_of(y, from[blocks - 2], i + 1);
	}
	/* From the blocks to their points, the last one first: a block is never
	 * behind its points. */
	for (size_t i = n; i > 0; i--) {
		while (from[blocks - 1] >= i)
			blocks--;
		fit[i - 1] = fit[blocks - 1];
	}
}

/* Reads the plateaus out of @best, the last one first, to the end of @all, of
 * @n; returns the first. */
static struct level *read_back(const struct cut *best, size_t n,
			       struct level *all)
{
	struct level *l = all + n;

	for (size_t i = n; i > 0; i = best[i].from)
		if (!best[i].ramp)
			*--l = (struct level) { .first = best[i].from,
						.last = i - 1 };
	return l;
}

/* Joins neighbours that are too near to be two levels, from @l to @end, into
 * @all.  A later plateau that is lower is noise: latency does not fall with
 * size.  Latencies stay logarithms.  Return: how many. */
static size_t join(const double *y, const struct level *l,
		   const struct level *end, struct level *all)
{
	size_t n = 0;

	for (; l < end; l++) {
		const double here = median_of(y, l->first, l->last + 1);

		if (!n || here - all[n - 1].latency_ns >= log(LEVELS_RATIO))
			all[n++] = *l;
		all[n - 1].last = l->last;
		all[n - 1].latency_ns =
			median_of(y, all[n - 1].first, l->last + 1);
	}
	return n;
}

int levels_find(const double *size_bytes, const double *latency_ns, size_t n,
		struct level levels[LEVELS_MAX])
{
	/* More than ulimit -s may allow. */
	static double y[LEVELS_CURVE], fit[LEVELS_CURVE];
	static struct cut best[LEVELS_CURVE + 1];
	static struct level all[LEVELS_CURVE];
	size_t count;

	if (n > LEVELS_CURVE)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!(latency_ns[i] > 0) || !(size_bytes[i] > 0))
			return -EINVAL;
		y[i] = log(latency_ns[i]);
	}
	rise(y, n, fit);
	cut_up(fit, n, best);
	count = join(y, read_back(best, n, all), all + n, all);
	/* More than that many is no memory hierarchy. */
	if (count > LEVELS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		levels[i] = all[i];
		levels[i].latency_ns = exp(all[i].latency_ns);
	}
	return (int)count;
}

int levels_end(const double *size_bytes, const double *latency_ns, size_t n,
	       double here_ns, double next_ns)
{
	const double half = sqrt(here_ns * next_ns);
	double fit[LEVELS_CURVE];
	int last = -ENOENT;

	if (n > LEVELS_CURVE)
		return -ENOENT;
	rise(latency_ns, n, fit);
	for (size_t i = 0; i < n && fit[i] <= half; i++)
		last = (int)i;
	return last;
}

int levels_rise(const double *latency_ns, size_t n, const struct level *l)
{
	size_t end = n;

	while (end > l->last + 1 &&
	       latency_ns[end - 1] > LEVELS_RATIO * l->latency_ns)
		end--;
	/* One point far off is no rise. */
	return n - end >= 2 ? (int)end - 1 : -ENOENT;
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

	/* With a smaller one unknown nothing tells the two apart. */
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
	*l = (struct level) { median_of(latency_ns, from, to), from, to - 1 };
	return 0;
}
