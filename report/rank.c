/* SPDX-License-Identifier: MIT */
#include "rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"
#include "text.h"

#define EXACT_MAX 100 /* values in all: below 50 million steps */
#define TREND_MAX 60  /* the same, of a trend */

double rank_normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* Bisection, until two neighbours are left: only groups of more than EXACT_MAX
 * values come here, once each. */
double rank_normal_above(double p)
{
	double lo = 0, hi = 40;

	for (;;) {
		double z = (lo + hi) / 2;

		if (!(lo < z && z < hi))
			return z;
		if (rank_normal_tail(z) > p)
			lo = z;
		else
			hi = z;
	}
}

/* A value and the group that it came from. */
struct item {
	double x;
	size_t index; /* below n: the first group */
};

static int by_value(const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

/*
 * Twice the mid-rank of every value, in ascending order, so that they are
 * whole numbers.  @sum: of the first group's.  @ties: of t^3 - t.
 */
static void double_ranks(size_t *ranks, const double *x, size_t n,
			 const double *y, size_t m, size_t *sum, double *ties)
{
	struct item *all = text_alloc(n + m, sizeof(*all));

	for (size_t i = 0; i < n + m; i++)
		all[i] = (struct item) { i < n ? x[i] : y[i - n], i };
	qsort(all, n + m, sizeof(*all), by_value);
	*sum = 0;
	*ties = 0;
	for (size_t i = 0, end; i < n + m; i = end) {
		double t;

		for (end = i + 1; end < n + m && !(all[end].x > all[i].x);
		     end++)
			;
		t = (double)(end - i);
		*ties += t * t * t - t;
		for (size_t j = i; j < end; j++) {
			ranks[j] = i + end + 1;
			if (all[j].index < n)
				*sum += ranks[j];
		}
	}
	free(all);
}

/*
 * How many ways there are to pick @n of the @total @ranks so that they add up
 * to s, for each s up to @top: a new array.  Ways are counted in doubles,
 * which are exact to 15 digits and hold 100 over 50.
 */
static double *count_sums(const size_t *ranks, size_t total, size_t n,
			  size_t top)
{
	double *ways = text_alloc((n + 1) * (top + 1), sizeof(*ways));
	double *sums = text_alloc(top + 1, sizeof(*sums));

	ways[0] = 1;
	for (size_t i = 0; i < total; i++) {
		size_t most = i < n ? i + 1 : n;

		for (size_t k = most; k > 0; k--) {
			double *to = &ways[k * (top + 1)];
			const double *from = to - (top + 1);

			for (size_t s = top; s >= ranks[i]; s--)
				to[s] += from[s - ranks[i]];
		}
	}
	memcpy(sums, &ways[n * (top + 1)], (top + 1) * sizeof(*sums));
	free(ways);
	return sums;
}

/* Share of all deals whose sum is at least as far from the expected one.
 * Sums here are of doubled ranks, and doubled again to stay whole. */
static double exact_p(const size_t *ranks, size_t n, size_t m, size_t sum)
{
	size_t top = (n + m) * (n + m + 1), middle = n * (n + m + 1);
	double *sums = count_sums(ranks, n + m, n, top);
	double far = 0, all = 0;
	size_t away = sum > middle ? sum - middle : middle - sum;

	for (size_t s = 0; s <= top; s++) {
		size_t d = s > middle ? s - middle : middle - s;

		all += sums[s];
		far += d >= away ? sums[s] : 0;
	}
	free(sums);
	return far / all;
}

static double normal_p(size_t n, size_t m, size_t sum, double ties)
{
	double a = (double)n, b = (double)m, total = a + b;
	double away = fabs((double)sum - a * (total + 1)) / 2;
	double variance =
		a * b / 12 * (total + 1 - ties / (total * (total - 1)));

	if (!(variance > 0))
		return 1;
	return fmin(1,
		    2 * rank_normal_tail(fmax(0, away - 0.5) / sqrt(variance)));
}

double rank_test(const double *x, size_t n, const double *y, size_t m)
{
	size_t *ranks = text_alloc(n + m, sizeof(*ranks));
	double ties, p;
	size_t sum;

	double_ranks(ranks, x, n, y, m, &sum, &ties);
	p = n + m <= EXACT_MAX ? exact_p(ranks, n, m, sum)
			       : normal_p(n, m, sum, ties);
	free(ranks);
	return p;
}

double rank_least_p(size_t n, size_t m)
{
	double log_ways = lgamma((double)(n + m) + 1) - lgamma((double)n + 1) -
			  lgamma((double)m + 1);

	return fmin(1, 2 * exp(-log_ways));
}

static long exact_critical(size_t n, size_t m, double alpha)
{
	size_t total = n + m, least = n * (n + 1) / 2, top = least + n * m;
	size_t *ranks = text_alloc(total, sizeof(*ranks));
	double *sums, all = 0, tail = 0;
	long u;

	for (size_t i = 0; i < total; i++)
		ranks[i] = i + 1;
	sums = count_sums(ranks, total, n, top);
	for (size_t s = least; s <= top; s++)
		all += sums[s];
	for (u = 0; (size_t)u <= n * m; u++) {
		tail += sums[least + (size_t)u];
		if (tail > all * alpha / 2)
			break;
	}
	free(sums);
	free(ranks);
	return u - 1;
}

long rank_critical(size_t n, size_t m, double alpha)
{
	double a = (double)n, b = (double)m, u;

	if (n + m <= EXACT_MAX)
		return exact_critical(n, m, alpha);
	u = a * b / 2 - 0.5 -
	    rank_normal_above(alpha / 2) * sqrt(a * b * (a + b + 1) / 12);
	return (long)floor(u);
}

void rank_shift(struct rank_shift *out, const double *x, size_t n,
		const double *y, size_t m, double level)
{
	double *d = text_alloc(n * m, sizeof(*d));
	long u = rank_critical(n, m, 1 - level);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			d[i * m + j] = y[j] - x[i];
	stats_sort(d, n * m);
	out->shift = stats_quantile(d, n * m, 0.5);
	out->lo = u < 0 ? -INFINITY : d[u];
	out->hi = u < 0 ? INFINITY : d[n * m - 1 - (size_t)u];
	free(d);
}

double rank_lesser(double time, double cycles)
{
	if (time * cycles < 0)
		return 0;
	return fabs(time) < fabs(cycles) ? time : cycles;
}

void rank_false_discovery(double *adjusted, const double *p, size_t n)
{
	struct item *all = text_alloc(n, sizeof(*all));
	double best = 1;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct item) { p[i], i };
	qsort(all, n, sizeof(*all), by_value);
	for (size_t i = n; i > 0; i--) {
		best = fmin(best, (double)n / (double)i * all[i - 1].x);
		adjusted[all[i - 1].index] = best;
	}
	free(all);
}

/* @ways counts the orders of @total values by their inversions, up to @most of
 * them; add @t equal values that are greater.  That multiplies the series by
 * the Gaussian binomial [total + t, t], the product of (1 - q^(total + j)) / (1
 * - q^j): a sum in place, and a difference. */
static void add_group(double *ways, size_t most, size_t total, size_t t)
{
	for (size_t j = 1; j <= t; j++) {
		for (size_t s = j; s <= most; s++)
			ways[s] += ways[s - j];
		for (size_t s = most; s >= total + j; s--)
			ways[s] -= ways[s - total - j];
	}
}

/* Share of all orders with as few of the @top possible inversions as @seen, or
 * as many at the other end.  The ends are alike, so that half of the series
 * will do. */
static double trend_exact(const double *sorted, size_t n, size_t seen,
			  size_t top)
{
	double *ways = text_alloc(top / 2 + 1, sizeof(*ways));
	double far = 0, all = 0;

	ways[0] = 1;
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !(sorted[end] > sorted[i]); end++)
			;
		add_group(ways, top / 2, i, end - i);
	}
	if (2 * seen > top)
		seen = top - seen;
	for (size_t s = 0; 2 * s <= top; s++) {
		const double both = 2 * s < top ? 2 * ways[s] : ways[s];

		all += both;
		far += s <= seen ? both : 0;
	}
	free(ways);
	return far / all;
}

static double trend_normal(const double *sorted, size_t n, double score)
{
	double total = (double)n;
	double variance = total * (total - 1) * (2 * total + 5);

	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && !(sorted[end] > sorted[i]); end++)
			;
		t = (double)(end - i);
		variance -= t * (t - 1) * (2 * t + 5);
	}
	if (!(variance > 0))
		return 1;
	return fmin(1, 2 * rank_normal_tail(fmax(0, fabs(score) - 1) /
					    sqrt(variance / 18)));
}

double rank_trend(const double *x, size_t n)
{
	double *sorted = text_alloc(n, sizeof(*sorted)), p;
	size_t up = 0, down = 0;

	memcpy(sorted, x, n * sizeof(*sorted));
	stats_sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			up += x[j] > x[i];
			down += x[j] < x[i];
		}
	p = n <= TREND_MAX ? trend_exact(sorted, n, down, up + down)
			   : trend_normal(sorted, n, (double)up - (double)down);
	free(sorted);
	return p;
}
