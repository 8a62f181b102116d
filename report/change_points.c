/* SPDX-License-Identifier: MIT */
#include "change_points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "rank.h"
#include "stats.h"
#include "text.h"

#define ORDERS 9999
#define EDGE   2 /* least values on either side: one may be an accident */

struct ranked {
	double x;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/* Mid-ranks less their mean, so that sums are expected to be 0. */
static void centred_ranks(double *ranks, const double *v, size_t n)
{
	struct ranked *all = text_alloc(n, sizeof(*all));

	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked) { v[i], i };
	qsort(all, n, sizeof(*all), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !(all[end].x > all[i].x); end++)
			;
		for (size_t j = i; j < end; j++)
			ranks[all[j].at] = ((double)(i + end) - (double)n) / 2;
	}
}

/* The greatest |sum| / standard deviation over all splits.  The variance of
 * the ranks is the same in every order and is left out. */
static double extreme(const double *ranks, size_t n, size_t *at)
{
	double sum = 0, most = -1;

	for (size_t k = 1; k + EDGE <= n; k++) {
		double a = (double)k, b = (double)(n - k), size;

		sum += ranks[k - 1];
		if (k < EDGE)
			continue;
		size = fabs(sum) / sqrt(a * b);
		if (size > most) {
			most = size;
			*at = k;
		}
	}
	return most;
}

static double chance(double *ranks, size_t n, double most)
{
	uint64_t state = 88172645463325252u;
	size_t as_far = 1, unused;

	for (int i = 0; i < ORDERS; i++) {
		for (size_t j = n - 1; j > 0; j--) {
			size_t k = random_below(&state, (uint32_t)j + 1);
			double swap = ranks[j];

			ranks[j] = ranks[k];
			ranks[k] = swap;
		}
		as_far += extreme(ranks, n, &unused) >= most - 1e-9;
	}
	return (double)as_far / (ORDERS + 1);
}

static double median_of(const double *v, size_t n)
{
	double *copy = text_alloc(n, sizeof(*copy)), median;

	memcpy(copy, v, n * sizeof(*copy));
	median = stats_median(copy, n);
	return median;
}

/* Where @v splits best, and how likely that is by chance. */
static struct change best_split(const double *v, size_t n)
{
	double *ranks = text_alloc(n, sizeof(*ranks)), most;
	struct change c = { 0, 1, 0 };

	centred_ranks(ranks, v, n);
	most = extreme(ranks, n, &c.at);
	if (most > 0)
		c.p = chance(ranks, n, most);
	return c;
}

static size_t split(struct change *out, size_t room, const double *v,
		    size_t first, size_t n, double alpha)
{
	struct change c;
	size_t found;

	if (n < CHANGE_LEAST || !room)
		return 0;
	c = best_split(v + first, n);
	if (c.p >= alpha)
		return 0;
	found = split(out, room - 1, v, first, c.at, alpha);
	out[found] = (struct change) { first + c.at, c.p, 0 };
	return found + 1 +
	       split(out + found + 1, room - found - 1, v, first + c.at,
		     n - c.at, alpha);
}

/* The orders as far as a step in the middle, which is the most extreme split,
 * are two of the ways to deal the values into halves; a value more changes
 * nothing, for it may lie on either side. */
size_t change_least(double alpha)
{
	size_t n = CHANGE_LEAST;

	while (n < CHANGE_MAX && rank_least_p(n / 2, n / 2) >= alpha)
		n++;
	return n;
}

double change_shift(const double *v, size_t from, size_t at, size_t to)
{
	return median_of(v + at, to - at) - median_of(v + from, at - from);
}

size_t change_find(struct change *out, size_t room, const double *v, size_t n,
		   double alpha)
{
	size_t skipped = n > CHANGE_MAX ? n - CHANGE_MAX : 0, found;

	v += skipped;
	n -= skipped;
	found = split(out, room, v, 0, n, alpha);
	for (size_t i = 0; i < found; i++) {
		size_t from = i ? out[i - 1].at : 0;
		size_t to = i + 1 < found ? out[i + 1].at : n;

		out[i].shift = change_shift(v, from, out[i].at, to);
	}
	for (size_t i = 0; i < found; i++)
		out[i].at += skipped;
	return found;
}
