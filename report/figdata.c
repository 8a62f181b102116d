/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "text.h"
#include "units.h"

/* What the case @name says after "@axis=" ("64K"); "" if it does not have that
 * axis. */
static const char *axis_text(const char *name, const char *axis)
{
	const size_t len = strlen(axis);

	while (*name) {
		size_t part = strcspn(name, ",");

		if (part > len && !strncmp(name, axis, len) && name[len] == '=')
			return text_format("%.*s", (int)(part - len - 1),
					   name + len + 1);
		name += part + (name[part] == ',');
	}
	return "";
}

/* The coordinates of @row on @axes ("via", or "call+via"), in words. */
static const char *coordinate(const struct rowtable *table,
			      const struct row *row, const char *axes)
{
	const struct result *r = &row->all;
	const char *text = "", *axis;

	while (strcmp(axes ? axes : "-", "-") != 0 && *axes) {
		const char *word;

		axis = text_split(&axes, '+');
		word = words_of(table, r->benchmark, axis,
				axis_text(r->name, axis));
		text = text_format("%s%s%s", text, *text && *word ? ", " : "",
				   word);
	}
	return text;
}

static size_t find_name(const char ***names, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*names)[i], name))
			return i;
	*names = text_grow(*names, *n, sizeof(**names));
	(*names)[*n] = text_copy(name);
	return (*n)++;
}

static double number_of(const struct result *r, const char *column)
{
	const struct {
		const char *name;
		double value;
	} known[] = {
		{ "value", r->value }, { "cycles", r->cycles },
		{ "ticks", r->ticks }, { "min", r->min },
		{ "mean", r->mean },   { "p50", r->p50 },
		{ "p90", r->p90 },     { "p99", r->p99 },
		{ "p999", r->p999 },   { "max", r->max },
	};

	if (r->status != RESULT_OK)
		return NAN;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, column))
			return known[i].value;
	return NAN;
}

/* Whether @params are @like, but for @axis, which has @text there. */
static bool is_partner(const json_t *params, const json_t *like,
		       const char *axis, const char *text)
{
	const char *key;
	json_t *value;

	if (json_object_size(params) != json_object_size(like))
		return false;
	json_object_foreach((json_t *)like, key, value)
	{
		const json_t *other = json_object_get(params, key);

		if (strcmp(key, axis) != 0
			    ? !json_equal(other, value)
			    : !json_is_string(other) ||
				      strcmp(json_string_value(other), text) !=
					      0)
			return false;
	}
	return true;
}

/* The x of an axis "figure=bandwidth": the value (in GB/s if it is a rate) of
 * the row that has this figure and is like @row in all else.  Where there is
 * none, there is nothing to measure: 0. */
static double partner_value(const struct run *run, const struct section *s,
			    const struct row *row, const char *x)
{
	const size_t len = strcspn(x, "=");
	const char *axis = text_format("%.*s", (int)len, x);
	double value = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct result *r = &run->rows[s->rows[i]].all;

		if (is_partner(r->params, row->all.params, axis, x + len + 1)) {
			value = number_of(r, "value");
			if (r->unit && !strcmp(r->unit, "B/s"))
				value /= 1e9;
		}
	}
	return value;
}

static double x_of(const struct run *run, const struct section *s,
		   const struct row *row, const char *x)
{
	const json_t *value = json_object_get(row->all.params, x);

	if (strchr(x, '='))
		return partner_value(run, s, row, x);
	return json_is_integer(value) ? json_number_value(value) : NAN;
}

static void add_point(struct plotdata *d, const struct figure *fig,
		      const struct rowtable *table, const struct row *row,
		      double x)
{
	const struct result *r = &row->all;
	const char *series = coordinate(table, row, fig->series);
	struct point *p;

	d->points = text_grow(d->points, d->n, sizeof(*p));
	p = &d->points[d->n++];
	*p = (struct point) { .row = row,
			      .x = x,
			      .category = coordinate(table, row, fig->x),
			      .y = number_of(r, fig->value),
			      .lo = NAN,
			      .hi = NAN,
			      .cycles = number_of(r, "cycles") };
	p->series = find_name(&d->series, &d->nseries, series);
	find_name(&d->categories, &d->ncategories, p->category);
	if (isfinite(p->y) && r->value > 0) {
		/* The interval is of the headline; other columns in the same
		 * proportion only where they are the headline converted. */
		bool same = !strcmp(fig->value, "value") ||
			    !strcmp(fig->value, "cycles") ||
			    !strcmp(fig->value, "ticks");

		p->lo = same ? p->y * r->ci95[0] / r->value : NAN;
		p->hi = same ? p->y * r->ci95[1] / r->value : NAN;
	}
}

static int by_series_and_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->series != q->series)
		return p->series < q->series ? -1 : 1;
	return (p->x > q->x) - (p->x < q->x);
}

/* What the unit must suit: the largest value on a linear axis, the middle of
 * a logarithmic one.  0 if there is none. */
static double typical_value(const struct plotdata *d, const struct figure *fig)
{
	bool events = !strcmp(fig->value, "histogram");
	bool log = events || figures_flag(fig, "logy");
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];
		double y = events ? p->row->all.value : p->y;

		if (!(y > 0) || !isfinite(y))
			continue;
		least = fmin(least, y);
		most = fmax(most, y);
	}
	return log && most > 0 ? sqrt(least) * sqrt(most) : most;
}

/* The unit of the values and the scale that suits them. */
static void choose_scale(struct plotdata *d, const struct figure *fig)
{
	d->scale = 1;
	d->unit = fig->value;
	if (!strcmp(fig->value, "cycles") || !strcmp(fig->value, "ticks"))
		return;
	d->unit = "";
	if (d->n && d->points[0].row->all.unit)
		d->scale = units_scale(typical_value(d, fig),
				       d->points[0].row->all.unit, &d->unit);
}

/* The rows of @s that @globs match and that have no point yet. */
static void add_rows(struct plotdata *d, const struct figure *fig,
		     const char *glob, const struct run *run,
		     const struct section *s, const struct rowtable *table)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = &run->rows[s->rows[i]];
		bool known = !text_glob(glob, row->all.name);

		for (size_t k = 0; k < d->n; k++)
			known |= d->points[k].row == row;
		if (!known)
			add_point(d, fig, table, row,
				  x_of(run, s, row, fig->x));
	}
}

static void collect_from(struct plotdata *d, const struct figure *fig,
			 const struct run *run, const struct section *s,
			 const struct rowtable *table)
{
	const char *rest = fig->globs, *glob;

	while (s && (glob = text_split(&rest, ' ')))
		add_rows(d, fig, glob, run, s, table);
}

void figdata_collect(struct plotdata *d, const struct figure *fig,
		     const struct run *run, const struct rowtable *table)
{
	const char *rest = fig->benchmark, *one;

	*d = (struct plotdata) { .scale = 1, .unit = "" };
	while ((one = text_split(&rest, ' ')))
		collect_from(d, fig, run, run_section(run, one), table);
	choose_scale(d, fig);
	if (d->n && figdata_is_curve(fig))
		qsort(d->points, d->n, sizeof(*d->points), by_series_and_x);
}

bool figdata_is_curve(const struct figure *fig)
{
	return text_glob("curve stair line knee", fig->kind);
}
