/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <math.h>

#include "grade.h"
#include "rank.h"
#include "stats.h"
#include "text.h"
#include "units.h"

#define FALSE_SHARE 0.05 /* of the rows that are called */

/* The values of @row that are numbers, in order of the rounds.  Return: how
 * many. */
static size_t numbers(const struct row *row, double *x)
{
	size_t n = 0;

	for (size_t i = 0; i < row->n && n < RANK_MAX; i++)
		if (isfinite(row->values[i]))
			x[n++] = row->values[i];
	return n;
}

/* Whether the @n values @x of @r, in order, move by more than another run may
 * differ by, the best grade allowing for that.  The medians of their halves are
 * half of the way of an even trend apart.  @x is put into another order. */
static bool matters(const struct result *r, double *x, size_t n)
{
	const double way = 2 * fabs(stats_median(x + n / 2, n - n / 2) -
				    stats_median(x, n / 2));
	const double half = grade_halfwidth(r);

	return way > fabs(r->value) * fmax(M_SQRT2 * half, grade_bound('A'));
}

static void mark(struct result *r, double from, double to, double p)
{
	r->trend = json_pack("{s:f,s:f,s:f}", "from", from, "to", to, "p", p);
	r->ci95[0] = r->ci95[1] = NAN;
}

void trend_mark(struct run *run)
{
	double *p = text_alloc(run->nrows, sizeof(*p));
	double *adjusted = text_alloc(run->nrows, sizeof(*adjusted));
	double x[RANK_MAX] = { 0 };

	for (size_t i = 0; i < run->nrows; i++) {
		const size_t n = numbers(&run->rows[i], x);

		p[i] = n > 1 ? rank_trend(x, n) : 1;
	}
	rank_false_discovery(adjusted, p, run->nrows);
	for (size_t i = 0; i < run->nrows; i++) {
		struct result *r = &run->rows[i].all;
		const size_t n = numbers(&run->rows[i], x);
		const double from = x[0], to = n ? x[n - 1] : 0;

		if (n && r->status == RESULT_OK && adjusted[i] <= FALSE_SHARE &&
		    matters(r, x, n))
			mark(r, from, to, adjusted[i]);
	}
}

const char *trend_text(const struct result *r)
{
	const char *unit;
	double per;

	if (!r->trend)
		return NULL;
	per = units_scale(r->value, r->unit, &unit);
	return text_format("%s → %s %s",
			   text_number(run_number(r->trend, "from") / per),
			   text_number(run_number(r->trend, "to") / per), unit);
}
