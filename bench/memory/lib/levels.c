/* SPDX-License-Identifier: MIT */
#include "levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define LEVELS_KNOWN 64 /* points of one cache: two to an octave are fewer */

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

/* Into @fit the curve nearest to @y that never falls: wherever it falls, the
 * points around are pooled to their median.  @from holds as many as @fit. */
static void rise(const double *y, size_t n, double *fit, size_t *from,
		 double *work)
{
	size_t blocks = 0;

	for (size_t i = 0; i < n; i++) {
		from[blocks] = i;
		fit[blocks++] = y[i];
		for (; blocks > 1 && fit[blocks - 1] < fit[blocks - 2];
		     blocks--)
			plateau_cost(y, from[blocks - 2], i + 1, work,
				     &fit[blocks - 2]);
	}
	/* From the blocks to their points, the last one first: a block is never
	 * behind its points. */
	for (size_t i = n; i > 0; i--) {
		while (from[blocks - 1] >= i)
			blocks--;
		fit[i - 1] = fit[blocks - 1];
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

int levels_find(const double *size_bytes, const double *latency_ns, size_t n,
		struct level levels[LEVELS_MAX])
{
	/* More than ulimit -s may allow. */
	static double y[LEVELS_CURVE], fit[LEVELS_CURVE], work[LEVELS_CURVE];
	static size_t from[LEVELS_CURVE];
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
	rise(y, n, fit, from, work);
	cut_up(fit, n, best, work);
	count = join(y, all, read_back(best, n, all), work);
	/* More than that many is no memory hierarchy. */
	if (!count || count > LEVELS_MAX)
		return count ? -EINVAL : 0;
	for (size_t i = 0; i < count; i++) {
		levels[i] = (struct level) {
			.latency_ns = exp(level_latency(y, &all[i], work)),
			.from_bytes = size_bytes[all[i].first],
			.to_bytes = size_bytes[all[i].last],
			.first = all[i].first,
			.last = all[i].last,
		};
	}
	set_sizes(size_bytes, fit, n, levels, count);
	return (int)count;
}

double levels_above(const double *size_bytes, size_t n, double size)
{
	for (size_t i = 0; i < n; i++)
		if (size_bytes[i] > size)
			return size_bytes[i];
	return size;
}

int levels_end(const double *size_bytes, const double *latency_ns, size_t n,
	       double here_ns, double next_ns)
{
	const double half = sqrt(here_ns * next_ns);
	double fit[LEVELS_CURVE], work[LEVELS_CURVE];
	size_t from[LEVELS_CURVE];
	int last = -ENOENT;

	if (n > LEVELS_CURVE)
		return -ENOENT;
	rise(latency_ns, n, fit, from, work);
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

/* With a smaller one unknown nothing tells the two apart. */
static int is_known(const double *caches, size_t count, size_t which)
{
	for (size_t i = 0; i <= which; i++)
		if (i >= count || !(caches[i] > 0))
			return 0;
	return 1;
}

bool levels_is_of(const double *caches, size_t which, double size_bytes)
{
	return !(which && size_bytes < 2 * caches[which - 1]) &&
	       !(2 * size_bytes > caches[which]);
}

int levels_known(const double *size_bytes, const double *latency_ns, size_t n,
		 const double *caches, size_t count, size_t which,
		 double memory_ns, struct level *l)
{
	double work[LEVELS_KNOWN];
	size_t points = 0;

	if (!is_known(caches, count, which))
		return -ENOENT;
	for (size_t i = 0; i < n && points < LEVELS_KNOWN; i++) {
		const int clear = !(latency_ns[i] * LEVELS_CLEAR > memory_ns);

		if (!levels_is_of(caches, which, size_bytes[i]))
			continue;
		if (!clear && points)
			break;
		if (!clear)
			continue;
		l->first = points ? l->first : i;
		l->last = i;
		work[points++] = latency_ns[i];
	}
	if (!points)
		return -ENOENT;
	l->latency_ns = stats_median(work, points);
	l->from_bytes = size_bytes[l->first];
	l->to_bytes = l->size_bytes = size_bytes[l->last];
	return 0;
}
