/* SPDX-License-Identifier: MIT */
#include "mistakes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "pick.h"
#include "tables.h"
#include "text.h"

/* The fields of a `mistake` line (docs/rows.md). */
enum part { ID, TITLE, PROGRAM, CASES, AT_MOST, AT_LEAST, NAIVE, WHY, HERE };
#define FIELDS (HERE + 1)

enum cell { MISTAKE, PRINTS, TRUTH, FACTOR, PROPERLY, BY };

static const struct rowtable_line *next(const struct rowtable *rows,
					const struct rowtable_line *last)
{
	do
		last = rowtable_next(rows, "mistake", last);
	while (last && last->n < FIELDS);
	return last;
}

static const struct row *figure_of(const struct run *run, const char *id,
				   const char *figure)
{
	char *name = text_format("mistake=%s,figure=%s", id, figure);
	const struct row *row = run_pick(run, MISTAKES_PROGRAM, name);

	free(name);
	return row;
}

static char *value_of(const struct row *row)
{
	return row ? tables_value(&row->all) : text_copy("not measured");
}

/* What the program that measures it properly found: the same, or, where the
 * mistake is in an interval, half of its own in percent. */
static char *proper_value(const struct row *proper, const struct row *naive)
{
	const char *unit = naive ? naive->all.unit : NULL;

	if (!proper || !unit)
		return NULL;
	if (strcmp(unit, "%") != 0)
		return tables_value(&proper->all);
	return isfinite(grade_halfwidth(&proper->all))
		       ? text_format("%.3g %%",
				     100 * grade_halfwidth(&proper->all))
		       : NULL;
}

static void add_row(struct table *t, const struct rowtable_line *l,
		    const struct run *run)
{
	char *const *f = l->field;
	const struct row *naive = figure_of(run, f[ID], "naive");

	table_row(t, "");
	table_cell(t, MISTAKE, text_copy(f[TITLE]));
	table_cell(t, PRINTS, value_of(naive));
	table_cell(t, TRUTH, value_of(figure_of(run, f[ID], "right")));
	table_cell(t, FACTOR, value_of(figure_of(run, f[ID], "factor")));
	table_cell(t, PROPERLY,
		   proper_value(run_pick(run, f[PROGRAM], f[CASES]), naive));
	table_cell(t, BY, text_format("%s: %s", f[PROGRAM], f[CASES]));
}

static bool is_given(const char *field)
{
	return strcmp(field, "-") != 0;
}

/* "at most 0.8 or at least 1.25 times" */
static char *claim(const struct rowtable_line *l)
{
	const char *most = l->field[AT_MOST], *least = l->field[AT_LEAST];
	const bool both = is_given(most) && is_given(least);

	if (both)
		return text_format("at most %s or at least %s times", most,
				   least);
	return is_given(most) ? text_format("at most %s times", most)
			      : text_format("at least %s times", least);
}

/* Why this machine does not show what is claimed; NULL if it does. */
static char *not_shown(const struct rowtable_line *l, const struct row *factor)
{
	const char *most = l->field[AT_MOST], *least = l->field[AT_LEAST];
	const struct result *r = factor ? &factor->all : NULL;

	if (!r)
		return NULL;
	if (r->status != RESULT_OK)
		return text_copy(r->reason);
	if ((is_given(most) && r->value <= strtod(most, NULL)) ||
	    (is_given(least) && r->value >= strtod(least, NULL)))
		return NULL;
	return text_format("the factor is %.3g here, so this machine does not "
			   "show it",
			   r->value);
}

static void put_text(struct doc *d, const struct rowtable_line *l,
		     const struct run *run)
{
	char *const *f = l->field;
	char *why_not = not_shown(l, figure_of(run, f[ID], "factor"));
	char *claimed = claim(l);
	char *text = text_format(
		"%s (%s). The naive program %s Why it is wrong: %s Claimed: "
		"%s the right figure%s%s. This suite %s",
		f[TITLE], f[ID], f[NAIVE], f[WHY], claimed,
		why_not ? "; but " : "", why_not ? why_not : "", f[HERE]);

	d->format->para(d, text);
	free(text);
	free(claimed);
	free(why_not);
}

void mistakes_write(struct doc *d, const struct rowtable *rows,
		    const struct run *run)
{
	const struct rowtable_line *l = next(rows, NULL);
	struct table t = { 0 };

	if (!l)
		return;
	table_column(&t, "mistake", false);
	table_column(&t, "the naive program prints", true);
	table_column(&t, "the truth", true);
	table_column(&t, "factor", true);
	table_column(&t, "measured properly", true);
	table_column(&t, "by", false);
	for (; l; l = next(rows, l))
		add_row(&t, l, run);
	d->format->table(d, &t);
	table_free(&t);
	for (l = next(rows, NULL); l; l = next(rows, l))
		put_text(d, l, run);
}
