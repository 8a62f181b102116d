/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "compare.h"
#include "figures.h"
#include "text.h"

#define ROWS_MAX 80 /* more would be no picture but a table */

static int by_p(const void *a, const void *b)
{
	const struct pair *const *p = a, *const *q = b;

	return ((*p)->p > (*q)->p) - ((*p)->p < (*q)->p);
}

/* The slowest first. */
static int by_effect(const void *a, const void *b)
{
	const double p = (*(const struct pair *const *)a)->cost.shift;
	const double q = (*(const struct pair *const *)b)->cost.shift;

	return (p < q) - (p > q);
}

void compare_collect(struct plotdata *d, const struct comparison *c)
{
	const struct pair **rows = text_alloc(c->n, sizeof(struct pair *));
	size_t n = 0;

	*d = (struct plotdata) { .scale = 1, .unit = "" };
	plotdata_name(&d->series, &d->nseries, "neither");
	plotdata_name(&d->series, &d->nseries, "faster");
	plotdata_name(&d->series, &d->nseries, "slower");
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].tested)
			rows[n++] = &c->v[i];
	qsort(rows, n, sizeof(struct pair *), by_p);
	n = n > ROWS_MAX ? ROWS_MAX : n;
	qsort(rows, n, sizeof(struct pair *), by_effect);
	d->points = text_alloc(n, sizeof(*d->points));
	for (d->n = 0; d->n < n; d->n++) {
		const struct pair *p = rows[d->n];
		const char *label = compare_label(p);

		d->points[d->n] = (struct point) {
			.row = p->a,
			.series = p->verdict == VERDICT_FASTER	 ? 1
				  : p->verdict == VERDICT_SLOWER ? 2
								 : 0,
			.x = (double)plotdata_name(&d->categories,
						   &d->ncategories, label),
			.y = exp(p->cost.shift),
			.lo = exp(p->cost.lo),
			.hi = exp(p->cost.hi),
			.label = text_format("%s: %s", label,
					     compare_ratios(&p->cost)),
		};
	}
}
