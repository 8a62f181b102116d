/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <string.h>

#include "doc.h"
#include "grade.h"
#include "input.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

enum {
	COL_OPERATION,
	COL_BASE,
	COL_SOFTWARE,
	COL_PREDICTED,
	COL_MEASURED,
	COL_STDDEV,
	COL_INTERVAL,
	COL_RATIO,
	COL_LIMITER,
	COL_GRADE,
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
	[COL_INTERVAL] = { "95 % interval", true },
	[COL_RATIO] = { "measured / predicted", true },
	[COL_LIMITER] = { "limiter", false },
	[COL_GRADE] = { "grade", false },
};

#define NONE "–" /* in a cell that can have no figure */

void course_read(struct course *c, const struct run *run, const char *root)
{
	int err = operations_read(&c->ops, root);

	*c = (struct course) { .ops = c->ops };
	if (err)
		notes_add(run->notes,
			  text_format("%s/bench/*/rows.tsv: %s: there is no "
				      "coursework table",
				      root, input_error(-err)),
			  ROWTABLE_REMEDY);
	else
		predictions_find(&c->predictions, &c->ops, run, root);
	rowtable_read(&c->table, root);
	estimates_make(&c->estimates, &c->table, &c->ops, run);
}

static const char *amount(double x, const char *unit)
{
	return isfinite(x) ? text_units(x, unit) : NONE;
}

/* Whether the student has predicted the @i-th operation. */
static bool is_said(const struct course *c, size_t i)
{
	return c->predictions.n > i && isfinite(c->predictions.v[i].predicted);
}

/* What was predicted, or else what the rule gives. */
static void fill_predicted(struct table *t, const struct course *c, size_t i)
{
	const bool said = is_said(c, i);
	const struct prediction *p = said ? &c->predictions.v[i] : NULL;
	const struct estimate *e = &c->estimates.v[i];
	const double v[] = { said ? p->base : e->base,
			     said ? p->software : e->software,
			     said ? p->predicted : e->predicted };

	for (size_t j = 0; j < sizeof(v) / sizeof(v[0]); j++) {
		const char *text = amount(v[j], c->ops.v[i].unit);

		if (!said && isfinite(v[j])) {
			text = text_format("est. %s", text);
		}
		table_cell(t, COL_BASE + j, text);
	}
}

double course_predicted(const struct course *c, size_t i)
{
	return is_said(c, i) ? c->predictions.v[i].predicted
			     : c->estimates.v[i].predicted;
}

/* The figures of one operation, if it was measured. */
static void fill_measured(struct table *t, const struct course *c, size_t i,
			  const struct row *row)
{
	const struct result *r = row ? &row->all : NULL;
	const bool valued = r && r->status == RESULT_OK;
	const double predicted = course_predicted(c, i);
	struct states s;
	const char *interval = valued ? tables_interval(r) : NULL;

	table_cell(t, COL_MEASURED, r ? tables_value(r) : "not measured");
	table_cell(t, COL_STDDEV,
		   amount(valued ? r->stddev : NAN, c->ops.v[i].unit));
	table_cell(t, COL_INTERVAL, interval ? interval : NONE);
	table_cell(t, COL_RATIO,
		   !valued || !isfinite(predicted) ? NONE
		   : states_of(&s, r)
			   ? text_format("%.3g or %.3g", s.low / predicted,
					 s.high / predicted)
			   : text_format("%.3g", r->value / predicted));
	if (valued)
		table_cell(t, COL_GRADE, r->grade);
}

/* Its name, and what stood in for another machine or for this one's memory. */
static const char *label(const struct operation *op, const struct row *row)
{
	const json_t *params = row ? row->all.params : NULL;
	const char *net = run_text(params, "net");
	const char *where = run_text(params, "where");
	const char *scope = run_text(params, "scope");

	if ((net && !strcmp(net, "veth")) || (where && !strcmp(where, "veth")))
		return text_format("%s (through veth, to this machine)",
				   op->label);
	if (row && scope && !strcmp(scope, "group") && row->all.expected > 0)
		return text_format("%s (of a control group limited to %s)",
				   op->label,
				   text_units(row->all.expected, "B"));
	return op->label;
}

static void fill_row(struct table *t, const struct course *c, size_t i,
		     const struct run *run)
{
	const struct operation *op = &c->ops.v[i];
	const struct row *row = operations_row(op, run);
	const char *limiter =
		c->predictions.n > i ? c->predictions.v[i].limiter : NULL;

	table_row(t, row && row->all.status != RESULT_OK
			     ? result_status_name(row->all.status)
			     : "");
	table_cell(t, COL_OPERATION, label(op, row));
	fill_predicted(t, c, i);
	fill_measured(t, c, i, row);
	table_cell(t, COL_LIMITER,
		   limiter ? limiter : limiters_say(op, run, row));
}

void course_table(struct table *t, const struct course *c,
		  const struct run *run, const char *section, const char *ids)
{
	*t = (struct table) { 0 };
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		table_column(t, columns[i].head, columns[i].number);
	for (size_t i = 0; i < c->ops.n; i++)
		if ((!section || !strcmp(section, c->ops.v[i].section)) &&
		    (!ids || text_glob(ids, c->ops.v[i].id)))
			fill_row(t, c, i, run);
	t->caption = section ? section : "All operations";
}

/* What the student said, and the rule where it stands in for a figure. */
static void add_reason(struct table *t, const struct course *c, size_t i)
{
	const char *why = c->predictions.n > i ? c->predictions.v[i].why : NULL;
	const char *rule = is_said(c, i) ? NULL : c->estimates.v[i].words;

	if (why || rule)
		table_pair(t, c->ops.v[i].label,
			   text_format("%s%s%s%s", why ? why : "",
				       why && rule ? "; " : "",
				       rule && isfinite(course_predicted(c, i))
					       ? "est.: "
					       : "",
				       rule ? rule : ""));
}

void course_reasons(struct table *t, const struct course *c, const char *ids)
{
	table_begin(t, "operation|why this was predicted");
	for (size_t i = 0; i < c->ops.n; i++)
		if (!ids || text_glob(ids, c->ops.v[i].id))
			add_reason(t, c, i);
}

void course_2017(struct table *t, const struct course *c, const struct run *run)
{
	static const char *const heads[] = {
		"operation", "base hardware", "software overhead",
		"predicted", "measured",      "standard deviation",
	};

	*t = (struct table) { 0 };
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_column(t, heads[i], i > 0);
	table_column(t, "this run", true);
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const char *const said[] = { op->base, op->software,
					     op->predicted, op->measured,
					     op->stddev };
		const struct row *row = operations_row(op, run);

		if (!op->predicted && !op->measured)
			continue;
		table_row(t, "");
		table_cell(t, 0, label(op, row));
		for (size_t j = 0; j < sizeof(said) / sizeof(said[0]); j++)
			table_cell(t, j + 1, said[j] ? said[j] : "N/A");
		table_cell(t, 6,
			   row ? tables_value(&row->all) : "not measured");
	}
	t->caption = prose("course-2017", NULL);
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
		course_table(&t, c, run, section, NULL);
		d->format->table(d, &t);
	}
	course_reasons(&t, c, NULL);
	if (t.nrows) {
		d->format->fold(d, "reasons", "Why this was predicted");
		d->format->table(d, &t);
		d->format->fold(d, NULL, NULL);
	}
	d->format->fold(d, "report-2017", "The report of 2017");
	course_2017(&t, c, run);
	d->format->table(d, &t);
	d->format->fold(d, NULL, NULL);
}

/* Why a run has few of the operations; NULL if it is no quick one. */
static const char *course_missing(const struct run *run)
{
	const char *profile = run_text(run->meta, "profile");

	return profile && !strcmp(profile, "quick")
		       ? prose("course-quick", NULL)
		       : NULL;
}

void course_write(struct doc *d, const struct course *c, const struct run *run)
{
	if (!c->ops.n)
		return;
	d->format->heading(d, 2, "coursework", "Predicted and measured");
	d->format->para(d, prose("course", NULL));
	if (!c->predictions.found)
		d->format->para(d, prose("course-unpredicted", NULL));
	if (course_missing(run))
		d->format->para(d, course_missing(run));
	put_tables(d, c, run);
	d->format->heading(d, 2, "comparisons", "Comparisons");
	d->format->para(d, prose("comparisons", NULL));
	comparisons_write(d, &c->table, &c->ops, run, NULL);
}
