/* SPDX-License-Identifier: MIT */
#include "steps.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A plateau has at least so many points, costs as much as 25 % off in one of
 * them, and a point on a ramp costs more than the noise of a quiet machine. */
#define LEAST_POINTS 3
#define PLATEAU_COST 0.25
#define RAMP_COST    0.10
#define APART	     1.25 /* plateaus; L1 to L2 is 3 times, a TLB step less */

/* A plateau's noise is less, a miss in L1 is 3 times as long. */
#define LINE_STEP 1.15

int steps_gap(const double *ns, int from, int n)
{
	int i = from;

	while (i < n && isfinite(ns[i]))
		i++;
	return i;
}

int steps_line(const double *ns, int n)
{
	const double near = ns[0];
	const double far = fmin(ns[n - 2], ns[n - 1]);
	const double half = (near + far) / 2;
	int line = 0;

	if (far <= near * LINE_STEP)
		return 0;
	while (ns[line] <= half)
		line++;
	for (int i = line; i < n; i++)
		if (ns[i] <= half)
			return -line;
	return line;
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

/* The best way to cut up the points before i: its cost, and where its last
 * piece begins; a piece of one point with ramp set is on a ramp. */
struct cut {
	double cost;
	size_t from;
	bool ramp;
};

static double plateau_cost(const double *y, size_t from, size_t to)
{
	const double median = levels_median(y, from, to);
	double sum = PLATEAU_COST;

	for (size_t i = from; i < to; i++)
		sum += fabs(y[i] - median);
	return sum;
}

static void cut_up(const double *y, size_t n, struct cut *best)
{
	best[0] = (struct cut) { 0 };
	for (size_t i = 1; i <= n; i++) {
		best[i] = (struct cut) { best[i - 1].cost + RAMP_COST, i - 1,
					 true };
		for (size_t k = 0; k + LEAST_POINTS <= i; k++) {
			const double cost =
				best[k].cost + plateau_cost(y, k, i);

			if (cost < best[i].cost)
				best[i] = (struct cut) { cost, k, false };
		}
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
		const double here = levels_median(y, l->first, l->last + 1);

		if (!n || here - all[n - 1].latency_ns >= log(APART))
			all[n++] = *l;
		all[n - 1].last = l->last;
		all[n - 1].latency_ns =
			levels_median(y, all[n - 1].first, l->last + 1);
	}
	return n;
}

int steps_levels(const double *size_bytes, const double *latency_ns, size_t n,
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
	levels_pool(y, n, fit);
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

int steps_rise(const double *latency_ns, size_t n, const struct level *l)
{
	size_t end = n;

	while (end > l->last + 1 && latency_ns[end - 1] > APART * l->latency_ns)
		end--;
	/* One point far off is no rise. */
	return n - end >= 2 ? (int)end - 1 : -ENOENT;
}
