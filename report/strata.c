/* SPDX-License-Identifier: MIT */
#include "rank.h"

#include <math.h>
#include <string.h>

#include "grade.h"
#include "stats.h"
#include "text.h"

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
