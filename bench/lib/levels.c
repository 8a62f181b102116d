/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* The best way to cut up the points before i: its cost, and where its last
 * piece begins; a piece of one point with ramp set is on a ramp. */
struct cut {
	double cost;
	size_t from;
	int ramp;
};

/* Sum of distances of y[from..to) from their median; @work holds as many. */
static double plateau_cost(const double *y, size_t from, size_t to,
			   double *work, double *median)
{
	double sum = 0;

	memcpy(work, y + from, (to - from) * sizeof(*work));
	*median = stats_median(work, to - from);
	for (size_t i = from; i < to; i++)
		sum += fabs(y[i] - *median);
	return sum;
}

static void cut_up(const double *y, size_t n, struct cut *best, double *work)
{
	double median;

	best[0] = (struct cut) { 0 };
	for (size_t i = 1; i <= n; i++) {
		best[i] = (struct cut) { best[i - 1].cost + LEVELS_RAMP, i - 1,
					 1 };
		for (size_t k = 0; k + LEVELS_POINTS <= i; k++) {
			const double cost =
				best[k].cost + LEVELS_PLATEAU +
				plateau_cost(y, k, i, work, &median);

			if (cost < best[i].cost)
				best[i] = (struct cut) { cost, k, 0 };
		}
	}
}

/* Reads the plateaus out of @best, the last one first; returns how many. */
static size_t read_back(const struct cut *best, size_t n, struct level *out)
{
	size_t count = 0;

	for (size_t i = n; i > 0; i = best[i].from)
		if (!best[i].ramp && count < n) {
			out[count].first = best[i].from;
			out[count].last = i - 1;
			count++;
		}
	for (size_t i = 0; i < count / 2; i++) {
		const struct level t = out[i];

		out[i] = out[count - 1 - i];
		out[count - 1 - i] = t;
	}
	return count;
}

static double level_latency(const double *y, const struct level *l,
			    double *work)
{
	double median;

	plateau_cost(y, l->first, l->last + 1, work, &median);
	return median;
}

/* Joins neighbours that are too near to be two levels.  A later plateau that
 * is lower is noise: latency does not fall with size. */
static size_t join(const double *y, struct level *l, size_t n, double *work)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		const double here = level_latency(y, &l[i], work);

		if (kept && here - level_latency(y, &l[kept - 1], work) <
				    log(LEVELS_RATIO))
			l[kept - 1].last = l[i].last;
		else
			l[kept++] = l[i];
	}
	return kept;
}

static void set_sizes(const double *size, const double *y, size_t n,
		      struct level *l, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++) {
		const double half =
			(log(l[i].latency_ns) + log(l[i + 1].latency_ns)) / 2;
		size_t at = l[i].last;

		while (at + 1 < l[i + 1].first && y[at + 1] <= half)
			at++;
		l[i].size_bytes = size[at];
	}
	l[count - 1].size_bytes = size[n - 1];
}

static int find(const double *size, const double *y, size_t n,
		struct level levels[LEVELS_MAX], struct cut *best,
		struct level *all, double *work)
{
	size_t count;

	cut_up(y, n, best, work);
	count = join(y, all, read_back(best, n, all), work);
	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		all[i].latency_ns = exp(level_latency(y, &all[i], work));
	set_sizes(size, y, n, all, count);
	/* More than that many is no memory hierarchy. */
	if (count > LEVELS_MAX)
		return -EINVAL;
	memcpy(levels, all, count * sizeof(*levels));
	return (int)count;
}

int levels_find(const double *size_bytes, const double *latency_ns, size_t n,
		struct level levels[LEVELS_MAX])
{
	double *y = malloc(2 * (n + 1) * sizeof(*y));
	struct cut *best = malloc((n + 1) * sizeof(*best));
	struct level *all = calloc(n + 1, sizeof(*all));
	int ret = y && best && all ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < n; i++) {
		if (!(latency_ns[i] > 0) || !(size_bytes[i] > 0))
			ret = -EINVAL;
		else
			y[i] = log(latency_ns[i]);
	}
	if (!ret)
		ret = find(size_bytes, y, n, levels, best, all, y + n + 1);
	free(y);
	free(best);
	free(all);
	return ret;
}

/* Distance of a level from a cache, by ratio. */
double levels_above(const double *size_bytes, size_t n, double size)
{
	for (size_t i = 0; i < n; i++)
		if (size_bytes[i] > size)
			return size_bytes[i];
	return size;
}

static double distance(const struct level *l, double cache_bytes)
{
	return cache_bytes > 0 ? fabs(log(l->size_bytes / cache_bytes))
			       : INFINITY;
}

static size_t nearest_cache(const struct level *l, const double *caches,
			    size_t count)
{
	size_t best = 0;

	for (size_t i = 1; i < count; i++)
		if (distance(l, caches[i]) < distance(l, caches[best]))
			best = i;
	return best;
}

int levels_match(const struct level *levels, size_t n, const double *caches,
		 size_t count, size_t which)
{
	int best = -ENOENT;

	if (which >= count || !(caches[which] > 0))
		return -ENOENT;
	for (size_t i = 0; i + 1 < n; i++) {
		if (nearest_cache(&levels[i], caches, count) != which)
			continue;
		if (best < 0 || distance(&levels[i], caches[which]) <
					distance(&levels[best], caches[which]))
			best = (int)i;
	}
	return best;
}
