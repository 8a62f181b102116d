/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "sections.h"
#include "text.h"

#define MAX_LIMITS 4 /* vertical lines in a figure */

static char bars[] = "bars", none[] = "";

void figwrite_number(FILE *f, double x, char end)
{
	if (isfinite(x))
		fprintf(f, "%.9g%c", x, end);
	else
		fprintf(f, "NaN%c", end);
}

void figwrite_names(FILE *f, const char *array, const char *const *names,
		    size_t n)
{
	/* gnuplot has no empty arrays. */
	fprintf(f, "n_%s = %zu\narray %s[%zu]\n", array, n, array, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		char *name = text_copy(names[i]);

		/* A label of a tic is a format. */
		for (char *c = name; *c; c++)
			if (*c == '%')
				*c = '?';
		fprintf(f, "%s[%zu] = ", array, i + 1);
		text_gnuplot(f, name);
		fputc('\n', f);
	}
}

void figwrite_block(struct figwriter *w, size_t i, const char *name)
{
	fputs(i ? "\n\n# " : "# ", w->data);
	text_plain(w->data, name);
	fputc('\n', w->data);
}

double figwrite_limit(const struct figwriter *w, const struct point *p)
{
	const struct result *r = &p->row->all;

	return r->status == RESULT_BELOW_RESOLUTION
		       ? r->resolution / w->d->scale
		       : NAN;
}

void figwrite_hover(struct figwriter *w, const struct point *p, char end)
{
	const struct result *r = &p->row->all;
	const char *value = tables_value(r), *interval = tables_interval(r);

	text_data(w->data,
		  text_format("%s: %s%s%s%s", r->name, value,
			      interval ? " (" : "", interval ? interval : "",
			      interval ? ")" : ""));
	fputc(end, w->data);
}

/* Both axes by the order of their coordinates; -1, 0, 1. */
static int by_number(const void *a, const void *b)
{
	const char *p = *(const char *const *)a, *q = *(const char *const *)b;
	double x = strtod(p, NULL), y = strtod(q, NULL);

	return x != y ? (x > y) - (x < y) : strcmp(p, q);
}

static bool all_numbers(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!*names[i] || names[i][strspn(names[i], "0123456789")])
			return false;
	return true;
}

static size_t place_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return 0;
}

/* @names in the order in which an axis shows them: a new array. */
static const char **ordered(const char *const *names, size_t n)
{
	const char **copy = text_alloc(n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = names[i];
	if (n && all_numbers(names, n))
		qsort(copy, n, sizeof(*copy), by_number);
	return copy;
}

size_t figwrite_heatmap(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	const char **xs = ordered(d->categories, d->ncategories);
	const char **ys = ordered(d->series, d->nseries);
	size_t n = 0;

	fputs("# x y value row\n", w->data);
	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];

		if (!isfinite(p->y))
			continue;
		fprintf(w->data, "%zu %zu ",
			place_of(xs, d->ncategories, p->category),
			place_of(ys, d->nseries, d->series[p->series]));
		figwrite_number(w->data, p->y / d->scale, ' ');
		figwrite_hover(w, p, '\n');
		n++;
	}
	figwrite_names(w->settings, "xs", xs, d->ncategories);
	figwrite_names(w->settings, "ys", ys, d->nseries);
	return n;
}

static const struct kind {
	const char *name;
	size_t (*write)(struct figwriter *w);
} kinds[] = {
	{ "curve", figwrite_curve },
	{ "line", figwrite_curve },
	{ "knee", figwrite_curve },
	{ "stair", figwrite_curve },
	{ "bars", figwrite_bars },
	{ "stack", figwrite_stack },
	{ "heatmap", figwrite_heatmap },
	{ "incidence", figwrite_incidence },
	{ "distribution", figwrite_distribution },
	{ "ensembles", figwrite_ensembles },
	{ "card", figwrite_card },
};

static const struct kind *kind_of(const struct figure *fig)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, fig->kind))
			return &kinds[i];
	return NULL;
}

/* "cost, %u" with the unit in the place of %u. */
static void put_label(FILE *f, const char *name, const char *text,
		      const char *unit)
{
	const char *at = strstr(text, "%u");
	const char *label = at ? text_format("%.*s%s%s", (int)(at - text), text,
					     unit, at + 2)
			       : text;

	fprintf(f, "%s = ", name);
	text_gnuplot(f, label);
	fputc('\n', f);
}

/* Data caches of the machine, for stairs. */
static void put_caches(struct figwriter *w)
{
	const json_t *caches = run_at(w->run->machine, "caches"), *c;
	size_t i, n = 0;

	fputs("array cache_bytes[16]\narray cache_name[16]\n", w->settings);
	json_array_foreach(caches, i, c)
	{
		const char *type = run_text(c, "type");
		double bytes = run_number(c, "size_bytes");
		double level = run_number(c, "level");

		if (n == 16 || !(bytes > 0) || !isfinite(level) ||
		    (type && !strcmp(type, "instruction")))
			continue;
		n++;
		fprintf(w->settings,
			"cache_bytes[%zu] = %.0f.0\n"
			"cache_name[%zu] = 'L%.0f'\n",
			n, bytes, n, level);
	}
	fprintf(w->settings, "n_caches = %zu\n", n);
}

/* Sizes that rows of the figure name as a limit: vertical lines. */
static void put_limits(struct figwriter *w)
{
	double limits[MAX_LIMITS];
	size_t n = 0;

	for (size_t i = 0; i < w->d->n && n < MAX_LIMITS; i++) {
		const double x = run_number(w->d->points[i].row->all.evidence,
					    "limit_bytes");
		bool known = !(x > 0);

		for (size_t k = 0; k < n; k++)
			known |= limits[k] == x;
		if (!known)
			limits[n++] = x;
	}
	fprintf(w->settings, "n_limits = %zu\narray limit_bytes[%d]\n", n,
		MAX_LIMITS);
	for (size_t k = 0; k < n; k++)
		fprintf(w->settings, "limit_bytes[%zu] = %.0f.0\n", k + 1,
			limits[k]);
}

/* The names of the series; of those without anything to draw, which need no
 * place in the key, an empty one. */
static void put_series(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	bool events = !strcmp(w->fig->value, "histogram");
	const char **names = text_alloc(d->nseries, sizeof(*names));

	for (size_t s = 0; s < d->nseries; s++)
		names[s] = none;
	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];

		if (events || isfinite(p->y) || isfinite(figwrite_limit(w, p)))
			names[p->series] = d->series[p->series];
	}
	figwrite_names(w->settings, "series", names, d->nseries);
}

static void put_settings(struct figwriter *w)
{
	const struct figure *fig = w->fig;
	double core_hz = w->d->n ? w->d->points[0].row->all.core_hz : NAN;
	const char *axis =
		words_of(&w->course->table, fig->benchmark, fig->series, "");
	FILE *f = w->settings;

	fprintf(f,
		"# For `gnuplot -c %s.plot PLOTS`, as scripts/plot does.\n"
		"plots = ARG1\nid = '%s'\n",
		fig->id, fig->id);
	put_label(f, "x_label", fig->xlabel, w->d->unit);
	put_label(f, "y_label", fig->ylabel, w->d->unit);
	put_label(f, "title", fig->title, w->d->unit);
	put_label(f, "series_label", axis, w->d->unit);
	put_label(f, "unit", "%u", w->d->unit);
	fprintf(f, "log_x = %d\nlog_y = %d\n", figures_flag(fig, "logx"),
		figures_flag(fig, "logy"));
	fprintf(f, "cycles_per_unit = %.9g\n",
		isfinite(core_hz) ? core_hz / 1e9 * w->d->scale : 0.0);
	put_series(w);
	figwrite_names(f, "categories", w->d->categories, w->d->ncategories);
	put_caches(w);
	put_limits(w);
	figwrite_marks(w);
}

static FILE *create(const char *dir, const char *id, const char *suffix)
{
	return text_create(
		text_format("%s/" FIGURES_DIR "/%s.%s", dir, id, suffix));
}

static int write_kind(struct figwriter *w, const struct kind *kind)
{
	size_t n;

	put_settings(w);
	n = kind->write(w);
	fprintf(w->settings, "load plots.'/%s.gp'\n", w->fig->kind);
	return n ? 0 : -ENODATA;
}

/* Whether each series of @d has something to draw. */
static bool is_whole(const struct plotdata *d)
{
	for (size_t s = 0; s < d->nseries; s++) {
		bool any = false;

		for (size_t i = 0; i < d->n; i++)
			any |= d->points[i].series == s &&
			       isfinite(d->points[i].y);
		if (!any)
			return false;
	}
	return true;
}

/* Many lines over one place or two of the x axis would be none: those places
 * become the series of bars, the series their categories.  @turned: room for
 * that figure. */
static bool needs_turning(const struct figwriter *w, struct figure *turned)
{
	const struct plotdata *d = w->d;

	*turned = *w->fig;
	turned->kind = bars;
	turned->x = w->fig->series;
	turned->series = w->fig->x;
	turned->xlabel = none;
	return !strcmp(w->fig->kind, "curve") && d->ncategories <= 2 &&
	       d->nseries > 2;
}

static void collect(struct figwriter *w, struct figure *turned)
{
	if (w->fig->card) {
		card_collect(w->d, w->fig->card, w->run);
		return;
	}
	figdata_collect(w->d, w->fig, w->run, &w->course->table);
	if (needs_turning(w, turned)) {
		w->fig = turned;
		figdata_collect(w->d, w->fig, w->run, &w->course->table);
	}
	if (figures_flag(w->fig, "whole") && !is_whole(w->d))
		*w->d = (struct plotdata) { 0 };
}

int figdata_write(const struct figure *fig, const struct run *run,
		  const struct course *course)
{
	const struct kind *kind;
	struct figure turned;
	struct plotdata d;
	struct figwriter w = {
		.fig = fig, .d = &d, .run = run, .course = course
	};
	int err = -ENODATA;

	collect(&w, &turned);
	kind = kind_of(w.fig);
	if (kind && (d.n || kind->write == figwrite_ensembles)) {
		w.data = create(run->dir, fig->id, "dat");
		w.settings = create(run->dir, fig->id, "plot");
		err = w.data && w.settings ? write_kind(&w, kind) : -errno;
		if (w.data && fclose(w.data))
			err = -errno;
		if (w.settings && fclose(w.settings))
			err = -errno;
	}
	return err;
}
