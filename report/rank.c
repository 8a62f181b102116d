/* SPDX-License-Identifier: MIT */
#include "rank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "stats.h"
#include "text.h"

#define EXACT_MAX 100	   /* values in all, of which U is counted */
#define TREND_MAX 60	   /* the same, of a trend */
#define NORMAL	  1.959964 /* a normal value is within that at 95 % */
#define TERMS	  10000	   /* of a continued fraction: some tens are needed */

double rank_normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
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

/* Logarithm of the number of ways to pick @k of @n. */
static double log_ways(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) -
	       lgamma((double)(n - k) + 1);
}

double rank_least_p(size_t n, size_t m)
{
	return fmin(1, 2 * exp(-log_ways(n + m, n)));
}

double rank_divided(const double *x, size_t n, const double *y, size_t m,
		    double at)
{
	size_t in_x = 0, above = 0, least, most;
	double expected, p = 0;

	for (size_t i = 0; i < n; i++)
		in_x += x[i] > at;
	for (size_t i = 0; i < m; i++)
		above += y[i] > at;
	above += in_x;
	least = above > m ? above - m : 0;
	most = above < n ? above : n;
	expected = (double)n * (double)above / (double)(n + m);
	for (size_t k = least; k <= most; k++)
		if (fabs((double)k - expected) >=
		    fabs((double)in_x - expected) - 1e-9)
			p += exp(log_ways(above, k) +
				 log_ways(n + m - above, n - k) -
				 log_ways(n + m, n));
	return fmin(1, p);
}

long rank_critical(size_t n, size_t m)
{
	const double a = (double)n, b = (double)m;
	const double most = exp(log_ways(n + m, n)) * 0.025;
	double *ways, tail = 0;
	size_t u = 0;

	if (n + m > EXACT_MAX)
		return (long)floor(a * b / 2 - 0.5 -
				   NORMAL * sqrt(a * b * (a + b + 1) / 12));
	/* Two groups, by how many pairs are not in their order: U. */
	ways = text_alloc(n * m + 1, sizeof(*ways));
	ways[0] = 1;
	add_group(ways, n * m, n, m);
	while (u < n * m && (tail += ways[u]) <= most)
		u++;
	free(ways);
	return (long)u - 1;
}

void rank_shift(struct rank_shift *out, const double *x, size_t n,
		const double *y, size_t m)
{
	double *d = text_alloc(n * m, sizeof(*d));
	long u = rank_critical(n, m);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < m; j++)
			d[i * m + j] = y[j] - x[i];
	stats_sort(d, n * m);
	out->shift = stats_quantile(d, n * m, 0.5);
	out->lo = u < 0 ? -INFINITY : d[u];
	out->hi = u < 0 ? INFINITY : d[n * m - 1 - (size_t)u];
	free(d);
}

/* A value and its place. */
struct item {
	double x;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
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

/* Between the groups of one side. */
struct gap {
	bool found;
	double lo, hi;
};

static struct gap find_gap(const double *x, size_t n)
{
	double *values = text_alloc(n, sizeof(*values));
	struct states s;
	struct gap g = { false, 0, 0 };

	for (size_t i = 0; i < n; i++)
		values[i] = exp(x[i]);
	if (states_find(&s, values, n))
		g = (struct gap) { true, log(s.below), log(s.above) };
	return g;
}

/* @gap is between logarithms, which round. */
static bool wide(double gap)
{
	return gap > log(STATES_GAP) - 1e-9;
}

/* The middle of the widest part of @g that neither side has a value in.
 * Return: whether it is wide enough. */
static bool divide(double *cut, const struct gap *g, const double *x, size_t n,
		   const double *y, size_t m)
{
	double *v = text_alloc(n + m + 2, sizeof(*v)), widest = 0;
	size_t k = 0;

	v[k++] = g->lo;
	v[k++] = g->hi;
	for (size_t i = 0; i < n + m; i++) {
		const double value = i < n ? x[i] : y[i - n];

		if (value > g->lo && value < g->hi)
			v[k++] = value;
	}
	stats_sort(v, k);
	for (size_t i = 1; i < k; i++)
		if (v[i] - v[i - 1] > widest) {
			widest = v[i] - v[i - 1];
			*cut = (v[i] + v[i - 1]) / 2;
		}
	return wide(widest);
}

/* How many of @x lie in the group of which their side has fewer. */
static size_t fewer(const struct gap *g, const double *x, size_t n)
{
	size_t low = 0;

	for (size_t i = 0; i < n; i++)
		low += x[i] <= g->lo;
	return low < n - low ? low : n - low;
}

/* Sides of which none falls in two groups by itself, but both together, and
 * not because each is one of them. */
static struct gap find_common(const double *x, size_t n, const double *y,
			      size_t m)
{
	double *both = text_alloc(n + m, sizeof(*both));
	struct gap g;

	memcpy(both, x, n * sizeof(*x));
	memcpy(both + n, y, m * sizeof(*y));
	g = find_gap(both, n + m);
	g.found = g.found && fewer(&g, x, n) + fewer(&g, y, m) >= STATES_LEAST;
	return g;
}

bool strata_find(struct strata *l, const double *x, size_t n, const double *y,
		 size_t m)
{
	struct gap a = find_gap(x, n), b = find_gap(y, m);
	bool found = true;

	if (a.found && b.found && wide(fmin(a.hi, b.hi) - fmax(a.lo, b.lo))) {
		a.lo = fmax(a.lo, b.lo);
		a.hi = fmin(a.hi, b.hi);
		b.found = false;
	}
	if (!a.found && !b.found)
		a = find_common(x, n, y, m);
	l->n = 1;
	if (a.found)
		found = divide(&l->cut[l->n++ - 1], &a, x, n, y, m);
	if (b.found)
		found = divide(&l->cut[l->n++ - 1], &b, x, n, y, m) && found;
	if (l->n == STRATA_MAX)
		stats_sort(l->cut, STRATA_MAX - 1);
	return found;
}

size_t strata_of(const struct strata *l, double x)
{
	size_t level = 0;

	while (level + 1 < l->n && x > l->cut[level])
		level++;
	return level;
}

/* The continued fraction of the incomplete beta function, by Lentz's method:
 * Abramowitz and Stegun 26.5.8; Thompson and Barnett, "Coulomb and Bessel
 * functions of complex arguments and order", J. Comp. Phys. 64, 1986. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d, step = 0;

	for (int i = 2; i < TERMS && fabs(step - 1) > 4 * DBL_EPSILON; i++) {
		const double m = floor(i / 2.0);
		const double term =
			i % 2 ? -(a + m) * (a + b + m) * x /
					((a + 2 * m) * (a + 2 * m + 1))
			      : m * (b - m) * x /
					((a + 2 * m - 1) * (a + 2 * m));

		d = 1 / (1 + term * d);
		c = 1 + term / c;
		step = c * d;
		h *= step;
	}
	return h;
}

double student_tails(double t, double df)
{
	const double a = df / 2, b = 0.5, x = df / (df + t * t), y = 1 - x;
	const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) +
				 a * log(x) + b * log(t * t / (df + t * t)));

	if (!(fabs(t) > 0))
		return 1;
	if (isinf(t))
		return 0;
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

struct trimmed {
	double mean;
	double error2; /* square of its standard error */
	double df;
};

static void trim(struct trimmed *t, const double *x, size_t n)
{
	const size_t cut = n / 5, kept = n - 2 * cut;
	double *v = text_alloc(n, sizeof(*v)), sum = 0, all = 0, squares = 0;

	memcpy(v, x, n * sizeof(*v));
	stats_sort(v, n);
	for (size_t i = cut; i < n - cut; i++)
		sum += v[i];
	/* Values that were cut off count as the last that was not. */
	for (size_t i = 0; i < cut; i++) {
		v[i] = v[cut];
		v[n - 1 - i] = v[n - 1 - cut];
	}
	for (size_t i = 0; i < n; i++)
		all += v[i];
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - all / (double)n) * (v[i] - all / (double)n);
	t->mean = sum / (double)kept;
	t->df = (double)kept - 1;
	t->error2 = squares / ((double)kept * t->df);
}

double trimmed_test(const double *x, size_t n, const double *y, size_t m)
{
	struct trimmed a, b;
	double both;

	trim(&a, x, n);
	trim(&b, y, m);
	both = a.error2 + b.error2;
	if (!(both > 0))
		return fabs(b.mean - a.mean) > 0
			       ? rank_divided(x, n, y, m, (a.mean + b.mean) / 2)
			       : 1;
	return student_tails((b.mean - a.mean) / sqrt(both),
			     both * both /
				     (a.error2 * a.error2 / a.df +
				      b.error2 * b.error2 / b.df));
}
