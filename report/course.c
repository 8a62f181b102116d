/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "limiters.h"
#include "rowtable.h"
#include "tables.h"
#include "text.h"
#include "units.h"

enum {
	COL_OPERATION,
	COL_BASE,
	COL_SOFTWARE,
	COL_PREDICTED,
	COL_MEASURED,
	COL_STDDEV,
	COL_RATIO,
	COL_LIMITER,
	COL_INTERVAL,
	COL_GRADE,
	COL_I7_PREDICTED,
	COL_I7_MEASURED,
	COL_I7_STDDEV,
};

static const struct {
	const char *head;
	bool number;
} columns[] = {
	[COL_OPERATION] = { "operation", false },
	[COL_BASE] = { "base hardware", true },
	[COL_SOFTWARE] = { "software overhead", true },
	[COL_PREDICTED] = { "predicted", true },
	[COL_MEASURED] = { "measured", true },
	[COL_STDDEV] = { "standard deviation", true },
	[COL_RATIO] = { "measured / predicted", true },
	[COL_LIMITER] = { "limiter", false },
	[COL_INTERVAL] = { "95 % interval", true },
	[COL_GRADE] = { "grade", false },
	[COL_I7_PREDICTED] = { "i7 860 (2017): predicted", true },
	[COL_I7_MEASURED] = { "i7 860: measured", true },
	[COL_I7_STDDEV] = { "i7 860: std. dev.", true },
};

void course_read(struct course *c, const struct run *run, const char *root)
{
	int err = operations_read(&c->ops, root);

	c->predictions = (struct predictions) { 0 };
	if (err)
		notes_add(run->notes,
			  text_format("%s/bench/*/rows.tsv: %s: there is "
				      "no coursework table",
				      root, input_error(-err)),
			  text_copy(ROWTABLE_REMEDY));
	else
		predictions_find(&c->predictions, &c->ops, run, root);
}

void course_free(struct course *c)
{
	predictions_free(&c->predictions);
	operations_free(&c->ops);
}

static char *amount(double x, const char *unit)
{
	char buf[UNITS_MAX];

	return isfinite(x) ? text_copy(units_format(buf, x, unit)) : NULL;
}

/* The figures of one operation, if it was measured. */
static void fill_measured(struct table *t, const struct operation *op,
			  const struct prediction *p, const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;

	if (!r) {
		table_cell(t, COL_MEASURED, text_copy("not measured"));
		return;
	}
	table_cell(t, COL_MEASURED, tables_value(r));
	if (r->status != RESULT_OK)
		return;
	table_cell(t, COL_STDDEV, amount(r->stddev, op->unit));
	table_cell(t, COL_INTERVAL, tables_interval(r, true));
	table_cell(t, COL_GRADE, text_copy(r->grade));
	if (p->predicted > 0)
		table_cell(t, COL_RATIO,
			   text_format("%.3g", r->value / p->predicted));
}

/* Its name, and by what the other machine was stood in for. */
static char *label(const struct operation *op, const struct row *row)
{
	const json_t *params = row ? row->all.params : NULL;
	const char *net = run_text(params, "net");
	const char *where = run_text(params, "where");

	if ((net && !strcmp(net, "veth")) || (where && !strcmp(where, "veth")))
		return text_format("%s (through veth, to this machine)",
				   op->label);
	return text_copy(op->label);
}

static void fill_row(struct table *t, const struct operation *op,
		     const struct prediction *p, const struct run *run)
{
	const struct row *row = operations_row(op, run);

	table_row(t, row && row->all.status != RESULT_OK
			     ? result_status_name(row->all.status)
			     : "");
	table_cell(t, COL_OPERATION, label(op, row));
	table_cell(t, COL_BASE, amount(p->base, op->unit));
	table_cell(t, COL_SOFTWARE, amount(p->software, op->unit));
	table_cell(t, COL_PREDICTED, amount(p->predicted, op->unit));
	fill_measured(t, op, p, row);
	table_cell(t, COL_LIMITER,
		   p->limiter ? text_copy(p->limiter)
			      : limiters_say(op, run, row));
	table_cell(t, COL_I7_PREDICTED, text_copy(op->predicted));
	table_cell(t, COL_I7_MEASURED, text_copy(op->measured));
	table_cell(t, COL_I7_STDDEV, text_copy(op->stddev));
}

void course_table(struct table *t, const struct course *c,
		  const struct run *run, const char *section)
{
	*t = (struct table) { 0 };
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(t, columns[i].head, columns[i].number);
	for (size_t i = 0; i < c->ops.n; i++)
		if (!section || !strcmp(section, c->ops.v[i].section))
			fill_row(t, &c->ops.v[i], &c->predictions.v[i], run);
	t->caption = text_copy(section ? section : "All operations");
}

void course_reasons(struct table *t, const struct course *c)
{
	*t = (struct table) { 0 };
	table_column(t, "operation", false);
	table_column(t, "why this was predicted", false);
	for (size_t i = 0; i < c->predictions.n; i++)
		if (c->predictions.v[i].why)
			table_pair(t, c->ops.v[i].label,
				   text_copy(c->predictions.v[i].why));
}

static void put_tables(struct doc *d, const struct course *c,
		       const struct run *run)
{
	const char *section = NULL;
	struct table t;

	for (size_t i = 0; i < c->ops.n; i++) {
		if (section && !strcmp(section, c->ops.v[i].section))
			continue;
		section = c->ops.v[i].section;
		course_table(&t, c, run, section);
		/* Four empty columns would push the rest off the page. */
		if (!c->predictions.found)
			table_prune(&t);
		d->format->table(d, &t);
		table_free(&t);
	}
	course_reasons(&t, c);
	if (t.nrows)
		d->format->table(d, &t);
	table_free(&t);
}

void course_write(struct doc *d, const struct course *c, const struct run *run)
{
	if (!c->ops.n)
		return;
	d->format->heading(d, 2, "coursework", "Predicted and measured");
	d->format->para(
		d, "The operations of the CSE 221 course, each with what was "
		   "expected of it, what was measured, and what limits it: "
		   "what usually does, or, with a figure in brackets, what "
		   "this run's own figures say. The last columns are from a "
		   "student's report of 2017 on a Core i7 860 at 2.8 GHz with "
		   "Linux 4.4 (Wu, Xiang and He), whose methods were not all "
		   "the same: compare magnitudes. The standard deviation is "
		   "over all samples.");
	if (!c->predictions.found)
		d->format->para(d, "There are no predictions: `make "
				   "predictions` writes predictions.ini to "
				   "fill in before the next run.");
	put_tables(d, c, run);
}
