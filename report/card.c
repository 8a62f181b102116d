/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "load.h"
#include "result.h"
#include "rowtable.h"
#include "text.h"
#include "units.h"

#define LINE 80 /* columns of a terminal */

/* The fields of a `core` line. */
enum { CARD_PROGRAM, CARD_CASES, CARD_WORDS, CARD_LEVEL };

enum { COL_WORDS, COL_VALUE, COL_EARLIER = 4, COL_REMARK, COLUMNS };

/* Bytes of the machine's data cache of @level, NAN if it is not known. */
static double cache_bytes(const struct run *run, int level)
{
	const json_t *caches = run_at(run->machine, "caches"), *c;
	size_t i;

	json_array_foreach(caches, i, c)
	{
		const char *type = run_text(c, "type");

		if (run_number(c, "level") == level && type &&
		    strcmp(type, "instruction") != 0)
			return run_number(c, "size_bytes");
	}
	return NAN;
}

/* "L2 latency, 512 KiB" */
static const char *words(const struct rowtable_line *e, const struct run *run)
{
	double bytes = cache_bytes(run, atoi(e->field[CARD_LEVEL])), scale;
	const char *unit;

	if (!isfinite(bytes))
		return e->field[CARD_WORDS];
	scale = units_scale(bytes, "B", &unit);
	return text_format("%s, %.4g %s", e->field[CARD_WORDS], bytes / scale,
			   unit);
}

/* Without the share in brackets, for which a small screen has no room.  @*value
 * keeps the lower one of two states. */
static const char *interval(const struct result *r, const char **value)
{
	const char *text = tables_interval(r), *second = strstr(*value, " or ");
	const char *share = text ? strstr(text, " (") : NULL;

	if (r->states && second) {
		*value = text_format("%.*s", (int)(second - *value), *value);
		return second + 1;
	}
	return share ? text_format("%.*s", (int)(share - text), text) : text;
}

/* "18.9 – 20.1 ns (4)": values of earlier runs of this machine, and of how
 * many. */
static const char *earlier(const struct row *row)
{
	return row->nearlier
		       ? text_format("%s (%zu)",
				     tables_range(&row->all, row->earlier[0],
						  row->earlier[1]),
				     row->nearlier)
		       : NULL;
}

static void add_row(struct table *t, const struct rowtable_line *e,
		    const struct run *run, const struct row *row)
{
	const struct result *r = &row->all;
	const bool valued = r->status <= RESULT_BELOW_RESOLUTION;
	const char *value = tables_value(r), *range = interval(r, &value);

	table_line(t, tables_mark(r), words(e, run), value, range, r->grade,
		   earlier(row), valued ? NULL : r->reason);
}

/* A program of this run that gave no such row: what run-all says of it. */
static void add_absent(struct table *t, const struct rowtable_line *e,
		       const struct run *run, const struct section *s)
{
	const struct trouble *x = s->n ? NULL : run_trouble(run, s->program);
	const bool stopped = json_is_true(run_at(run->meta, "interrupted"));

	table_line(t, s->n ? "skipped" : "failed", words(e, run),
		   x ? tables_exit(x->exit_status) : "no row", NULL, NULL, NULL,
		   !s->n     ? (x ? x->reason : NULL)
		   : stopped ? "the run was stopped before"
			     : "not part of this run");
}

/* One operation of the card as it went. */
struct outcome {
	const struct rowtable_line *entry;
	const struct section *section;
	const struct row *row; /* NULL: the program gave none */
	enum { TIME, RATE, OTHER, NOTHING } kind;
	double size; /* value, or what it is less than */
};

static void look_at(struct outcome *o)
{
	const struct result *r = &o->row->all;

	o->size = r->status == RESULT_OK		 ? r->value
		  : r->status == RESULT_BELOW_RESOLUTION ? r->resolution
							 : NAN;
	if (!isfinite(o->size))
		return;
	o->kind = !r->unit		    ? OTHER
		  : !strcmp(r->unit, "ns")  ? TIME
		  : !strcmp(r->unit, "B/s") ? RATE
					    : OTHER;
}

/* Rows without a size stay in the order of rows.tsv. */
static int by_size(const void *a, const void *b)
{
	const struct outcome *p = a, *q = b;

	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	if (p->size != q->size && p->kind != NOTHING)
		return p->size < q->size ? -1 : 1;
	return p->entry < q->entry ? -1 : p->entry > q->entry;
}

/* The operations of programs of @run, in order; @n: how many.  A new array. */
static struct outcome *outcomes(const struct run *run, size_t *n)
{
	const struct rowtable_line *e = NULL;
	struct outcome *v = NULL;

	*n = 0;
	while ((e = rowtable_next(&run->suite, "core", e))) {
		struct outcome o = {
			.entry = e,
			.section = run_section(run, e->field[CARD_PROGRAM]),
			.row = run_pick(run, e->field[CARD_PROGRAM],
					e->field[CARD_CASES]),
			.kind = NOTHING,
		};

		if (!o.section || !rowtable_given(e->field[CARD_WORDS]))
			continue;
		if (o.row)
			look_at(&o);
		v = text_grow(v, *n, sizeof(*v));
		v[(*n)++] = o;
	}
	if (v)
		qsort(v, *n, sizeof(*v), by_size);
	return v;
}

static void fill_table(struct table *t, const struct run *run)
{
	size_t n;
	struct outcome *v = outcomes(run, &n);

	table_begin(t, "operation|value>|95 % interval>|grade|"
		       "earlier runs>|remark");
	for (size_t i = 0; i < n; i++) {
		if (v[i].row)
			add_row(t, v[i].entry, run, v[i].row);
		else
			add_absent(t, v[i].entry, run, v[i].section);
	}
}

void card_collect(struct plotdata *d, const struct run *run)
{
	size_t n;
	struct outcome *v = outcomes(run, &n);

	*d = (struct plotdata) { .scale = 1, .unit = "" };
	plotdata_name(&d->series, &d->nseries, "times");
	plotdata_name(&d->series, &d->nseries, "bandwidths");
	for (size_t i = 0; i < n && v[i].kind <= RATE; i++) {
		const struct result *r = &v[i].row->all;
		const bool known = r->status == RESULT_OK;

		if (!(v[i].size > 0)) /* no logarithm */
			continue;
		d->points = text_grow(d->points, d->n, sizeof(*d->points));
		d->points[d->n++] = (struct point) {
			.row = v[i].row,
			.series = v[i].kind == RATE,
			.x = (double)plotdata_name(&d->categories,
						   &d->ncategories,
						   words(v[i].entry, run)),
			.y = known ? r->value : NAN,
			.lo = known ? r->ci95[0] : NAN,
			.hi = known ? r->ci95[1] : r->resolution,
			.label = tables_both(r),
		};
	}
}

const char *card_machine(const struct run *run)
{
	const char *under = run_known(run->machine, "hypervisor", "none");
	double pus = run_number(run->machine, "cpu.pus");
	bool bare = !strcmp(under, "none");

	return text_format(
		"Linux %s%s%s on %s%s",
		run_known(run->machine, "kernel.release", "of unknown version"),
		bare ? "" : " under ", bare ? "" : under,
		isfinite(pus) ? text_format("%.0f CPUs of ", pus) : "",
		run_known(run->machine, "cpu.model", "an unknown processor"));
}

void card_table(struct table *t, const struct run *run)
{
	fill_table(t, run);
	t->class = "card";
	/* A column for few reasons would push the values off a phone. */
	for (size_t i = 0; i < t->nrows; i++) {
		const char **cells = &t->cells[i * COLUMNS], *both;

		if (!cells[COL_REMARK])
			continue;
		both = text_format("%s: %s", cells[COL_WORDS],
				   text_cut(cells[COL_REMARK], LINE));
		cells[COL_REMARK] = NULL;
		cells[COL_WORDS] = both;
	}
	table_prune(t);
}

void card_print(FILE *f, const struct run *run)
{
	const char *grade;
	struct table t, valued;

	text_plain(f, text_cut(card_machine(run), LINE));
	fputc('\n', f);
	grades_of_run(run, &grade);
	console_text(f, grade, "", "  ");
	fill_table(&t, run);
	table_begin(&valued, "operation|value>|95 % interval>|grade");
	for (size_t i = 0; i < t.nrows; i++)
		if (!t.cells[i * COLUMNS + COL_REMARK])
			table_cells(&valued, "", &t.cells[i * COLUMNS],
				    COL_EARLIER);
	if (valued.nrows)
		console_table(f, &valued);
	for (size_t i = 0; i < t.nrows; i++) {
		const char **cells = &t.cells[i * COLUMNS];

		if (!cells[COL_REMARK])
			continue;
		text_plain(f,
			   text_cut(text_format("%s: %s: %s", cells[COL_WORDS],
						cells[COL_VALUE],
						cells[COL_REMARK]),
				    LINE));
		fputc('\n', f);
	}
	if (!t.nrows)
		fputs(CARD_NONE "\n", f);
}
