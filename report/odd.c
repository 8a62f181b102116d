/* SPDX-License-Identifier: MIT */
/*
 * Several runs side by side: in which rows is one of them odd?
 */
#include <math.h>
#include <string.h>

#include "compare.h"
#include "sections.h"
#include "text.h"

#define NONE SIZE_MAX

/* The row of side @k, of which 0 is the one that all are compared with. */
static const struct result *row_of(const struct comparison *c, size_t row,
				   size_t k)
{
	const struct comparison *of = &c[k ? k - 1 : 0];
	const struct pair *p =
		&of->v[of->first[c->v[row].a - c->a->runs->rows]];
	const struct row *r = k ? p->b : p->a;

	return r && r->all.status == RESULT_OK && isfinite(r->all.ci95[0]) &&
			       isfinite(r->all.ci95[1])
		       ? &r->all
		       : NULL;
}

static bool meet(const struct result *a, const struct result *b)
{
	return a->ci95[0] <= b->ci95[1] && b->ci95[0] <= a->ci95[1];
}

/* Whether the interval of side @k meets none of the other ones, which all meet
 * each other. */
static bool is_odd(const struct comparison *c, size_t n, size_t row, size_t k)
{
	for (size_t i = 0; i <= n; i++)
		for (size_t j = i + 1; j <= n; j++)
			if (meet(row_of(c, row, i), row_of(c, row, j)) !=
			    (i != k && j != k))
				return false;
	return true;
}

/* The odd side of a row, or NONE. */
static size_t odd_side(const struct comparison *c, size_t n, size_t row)
{
	for (size_t k = 0; k <= n; k++)
		if (is_odd(c, n, row, k))
			return k;
	return NONE;
}

/* Whether every side has a value and an interval. */
static bool all_have(const struct comparison *c, size_t n, size_t row)
{
	for (size_t k = 0; k <= n; k++)
		if (!row_of(c, row, k))
			return false;
	return true;
}

static const char *name_of(const struct comparison *c, size_t k)
{
	return compare_name(k ? c[k - 1].b : c->a);
}

void odd_table(struct table *t, const struct comparison *c, size_t n)
{
	*t = (struct table) { 0 };
	table_column(t, "operation", false);
	for (size_t k = 0; k <= n; k++)
		table_column(t, name_of(c, k), true);
	table_column(t, "odd one out", false);
	for (size_t i = 0; i < c->n; i++) {
		const struct result *r = &c->v[i].a->all;
		size_t odd;

		if (!c->v[i].first || !all_have(c, n, i) ||
		    compare_is_detail(r))
			continue;
		odd = odd_side(c, n, i);
		table_row(t, "");
		table_cell(t, 0, text_format("%s: %s", r->benchmark, r->name));
		for (size_t k = 0; k <= n; k++)
			table_cell(t, k + 1, tables_value(row_of(c, i, k)));
		if (odd != NONE)
			table_cell(t, n + 2, name_of(c, odd));
	}
}

const char *odd_words(const struct comparison *c, size_t n)
{
	size_t *odd = text_alloc(n + 1, sizeof(*odd)), rows = 0, most = 0;
	const char *text;

	for (size_t i = 0; i < c->n; i++) {
		const bool all = c->v[i].first && all_have(c, n, i);
		size_t k = all ? odd_side(c, n, i) : NONE;

		rows += all;
		if (k != NONE)
			odd[k]++;
	}
	for (size_t k = 1; k <= n; k++)
		if (odd[k] > odd[most])
			most = k;
	if (odd[most])
		text = text_format("Odd one out most often: %s, whose interval "
				   "meets none of the others in %zu of %zu "
				   "rows, while those meet each other.",
				   name_of(c, most), odd[most], rows);
	else
		text = text_format(
			"No side is the odd one out in any of %zu rows.", rows);
	return text;
}
