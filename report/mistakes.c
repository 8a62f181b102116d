/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "load.h"
#include "text.h"

/* The fields of a `mistake` line (docs/rows.md). */
enum part { ID, TITLE, BAD, BAD_ROW, GOOD, ROW, MOST, LEAST, DOES, WHY, HERE };

/* NAN: nothing is claimed on this side, and no factor compares with it. */
static double bound(const char *field)
{
	return strcmp(field, "-") != 0 ? strtod(field, NULL) : NAN;
}

/* The rows of one mistake in the run. */
struct found {
	const struct row *naive, *proper; /* NULL: not in this run */
	double right, factor;		  /* naive / right; NAN: unknown */
	bool shown;			  /* as it is claimed */
};

/* In the naive figure's unit: where the mistake is in an interval, half of the
 * proper row's own in percent. */
static double right_figure(const struct found *x)
{
	const char *unit = x->naive ? x->naive->all.unit : NULL;

	if (!x->proper || !unit || x->proper->all.status != RESULT_OK)
		return NAN;
	return !strcmp(unit, "%") ? 100 * grade_halfwidth(&x->proper->all)
	       : !strcmp(unit, "cycles") ? x->proper->all.cycles
					 : x->proper->all.value;
}

static struct found find(const struct rowtable_line *l, const struct run *run)
{
	const char *const *f = l->field;
	struct found x = { .naive = run_pick(run, f[BAD], f[BAD_ROW]),
			   .proper = run_pick(run, f[GOOD], f[ROW]),
			   .factor = NAN };

	x.right = right_figure(&x);
	if (x.right > 0 && x.naive->all.status == RESULT_OK)
		x.factor = x.naive->all.value / x.right;
	x.shown = x.factor <= bound(f[MOST]) || x.factor >= bound(f[LEAST]);
	return x;
}

static const char *proper_value(const struct found *x)
{
	if (!x->proper)
		return "not measured";
	if (!x->naive || x->proper->all.status != RESULT_OK ||
	    x->right == x->proper->all.value)
		return tables_value(&x->proper->all);
	return isnan(x->right)
		       ? NULL
		       : text_format("%.3g %s", x->right, x->naive->all.unit);
}

/* "at most 0.8 or at least 1.25" */
static const char *claim(const struct rowtable_line *l)
{
	const double most = bound(l->field[MOST]);
	const double least = bound(l->field[LEAST]);

	return isnan(least) ? text_format("at most %g", most)
	       : isnan(most)
		       ? text_format("at least %g", least)
		       : text_format("at most %g or at least %g", most, least);
}

static void add_row(struct table *t, const struct rowtable_line *l,
		    const struct run *run)
{
	const struct found x = find(l, run);
	const char *const *f = l->field;
	const bool known = isfinite(x.factor);

	table_line(t, "", f[TITLE],
		   x.naive ? tables_value(&x.naive->all) : NULL,
		   proper_value(&x),
		   known ? text_format("%.3g x", x.factor) : NULL, claim(l),
		   known ? x.shown ? "yes" : "no" : NULL,
		   text_format("%s: %s", f[GOOD], f[ROW]));
}

void mistakes_write(struct doc *d, const struct rowtable *rows,
		    const struct run *run)
{
	const struct rowtable_line *l = NULL;
	struct table t;

	table_begin(&t, "mistake|the naive program prints>|measured "
			"properly>|factor>|claimed factor|shown here|by");
	while ((l = rowtable_next(rows, "mistake", l)))
		add_row(&t, l, run);
	doc_table(d, &t, NULL);
	while ((l = rowtable_next(rows, "mistake", l)))
		doc_prose(d, "mistake", "title", l->field[TITLE], "id",
			  l->field[ID], "does", l->field[DOES], "why",
			  l->field[WHY], "here", l->field[HERE]);
}
