/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include <math.h>
#include <stdlib.h>

#include "stats.h"

#define HALVINGS 60 /* of the interval in which the factor is searched */

double budget_share(double weight)
{
	return cbrt(weight * weight);
}

/* Of those that are known and not zero; 1 if none is. */
static double typical_spread(const struct budget_case *cases, size_t n)
{
	double *known = malloc((n + 1) * sizeof(*known)), typical = 1;
	size_t k = 0;

	for (size_t i = 0; known && i < n; i++)
		if (cases[i].spread > 0 && isfinite(cases[i].spread))
			known[k++] = cases[i].spread;
	if (k)
		typical = stats_median(known, k);
	free(known);
	return typical;
}

/* Samples that @c should have, relative to the other cases. */
static double wanted(const struct budget_case *c, double typical)
{
	const double spread = isnan(c->spread) ? typical : c->spread;

	return budget_share(c->weight * sqrt(spread * typical) / c->sample_ns);
}

/* Give each case what it lacks to @factor times its wish.  Return: what that
 * takes, ns. */
static double give(struct budget_case *cases, size_t n, double typical,
		   double factor, unsigned int visits)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct budget_case *c = &cases[i];
		const double more = factor * wanted(c, typical) - c->samples;

		c->time_ns = more < visits ? 0 : more * c->sample_ns;
		if (c->time_ns > 0)
			sum += c->time_ns + visits * c->visit_ns;
	}
	return sum;
}

void budget_divide(struct budget_case *cases, size_t n, double left_ns,
		   unsigned int visits)
{
	const double typical = typical_spread(cases, n);
	double low = 0, high = 1;

	if (!n || give(cases, n, typical, 0, visits) > left_ns || left_ns <= 0)
		return;
	for (int i = 0; i < 1000; i++, high *= 2)
		if (give(cases, n, typical, high, visits) > left_ns)
			break;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (low + high) / 2;

		if (give(cases, n, typical, middle, visits) > left_ns)
			high = middle;
		else
			low = middle;
	}
	give(cases, n, typical, low, visits);
}
