/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course.h"
#include "figures.h"
#include "input.h"
#include "sections.h"
#include "text.h"

#define SAMPLES	  32 /* corners of an estimate's line */
#define MAX_LINES 24 /* of estimates, and of marks, in a figure */

struct writer {
	const struct figure *fig;
	const struct kind *kind;
	struct plotdata d;
	const struct run *run;
	const struct course *course; /* estimates and marks */
	FILE *data, *settings;
	size_t blocks; /* of data */
	double *top;   /* of each category, where parts are stacked */
};

struct kind {
	const char *name;
	bool numeric; /* its x axis counts */
	/* The lines of one point.  Return: how many. */
	size_t (*write)(struct writer *w, const struct point *p);
};

static void put_number(FILE *f, double x)
{
	if (isfinite(x))
		fprintf(f, "%.9g ", x);
	else
		fputs("NaN ", f);
}

/* One line of data: the numbers as they are drawn. */
static size_t put(struct writer *w, double x, double y, double lo, double hi,
		  const char *label)
{
	fprintf(w->data, "%zu ", w->blocks);
	put_number(w->data, x);
	put_number(w->data, y);
	put_number(w->data, lo);
	put_number(w->data, hi);
	text_data(w->data, label);
	fputc('\n', w->data);
	return 1;
}

static void begin_block(struct writer *w, const char *name)
{
	fputs(w->blocks++ ? "\n\n# " : "# series x y low high label\n# ",
	      w->data);
	text_plain(w->data, name);
	fputc('\n', w->data);
}

/* A gnuplot array of strings. */
static void put_names(FILE *f, const char *array, const char *const *names,
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

static size_t put_value(struct writer *w, const struct point *p)
{
	const double scale = w->d.scale;

	return put(w, p->x, p->y / scale, p->lo / scale, p->hi / scale,
		   p->label);
}

/* A bar from nothing, of which there is none on a logarithmic axis. */
static size_t put_bar(struct writer *w, const struct point *p)
{
	return p->y > 0 ? put_value(w, p) : 0;
}

/* From low to high, on top of the series before. */
static size_t put_part(struct writer *w, const struct point *p)
{
	double *top = &w->top[(size_t)p->x], begin = *top;

	if (!(p->y > 0))
		return 0;
	*top += p->y / w->d.scale;
	return put(w, p->x, p->y / w->d.scale, begin, *top, p->label);
}

/* The place of the @i-th name on an axis of numbers. */
static size_t rank_of(const char *const *names, size_t n, size_t i)
{
	size_t rank = 0;

	for (size_t k = 0; k < n; k++) {
		const double way =
			strtod(names[k], NULL) - strtod(names[i], NULL);

		rank += way < 0 || (!(way > 0) && k < i);
	}
	return rank;
}

/* A place of a matrix: y counts the series, low is the value. */
static size_t put_cell(struct writer *w, const struct point *p)
{
	const struct plotdata *d = &w->d;

	return put(w,
		   (double)rank_of(d->categories, d->ncategories, (size_t)p->x),
		   (double)rank_of(d->series, d->nseries, p->series),
		   p->y / d->scale, NAN, p->label);
}

/* Where a bin that begins at @edge ends: bins of the 10^(k/50) grid. */
static double bin_end(double edge)
{
	return pow(10, (round(log10(edge) * RESULT_BINS) + 1) / RESULT_BINS);
}

/* The bins of @p: in cycles, the share of samples of each; else, at both ends
 * of each, the share above it.  Bins with a count only are there, so one may
 * end before the next begins. */
static size_t put_bins(struct writer *w, const struct point *p)
{
	const json_t *histogram = p->row->all.histogram, *bin;
	const json_t *bins = json_object_get(histogram, "bins");
	const bool cycles = !strcmp(w->fig->kind, "incidence");
	const char *unit = run_text(histogram, "unit");
	const double scale = cycles ? 1 : w->d.scale;
	double total = 0, sum = 0, end = 0;
	size_t i, n = 0;

	if (!unit || strcmp(unit, cycles ? "cycles" : p->row->all.unit) != 0)
		return 0;
	for (int pass = 0; pass < 2; pass++)
		json_array_foreach(bins, i, bin)
		{
			const double edge =
				json_number_value(json_array_get(bin, 0));
			const double count =
				json_number_value(json_array_get(bin, 1));

			if (!(edge > 0) || !(count > 0) || !isfinite(edge))
				continue;
			if (!pass) {
				total += count;
				continue;
			}
			if (cycles) {
				n += put(w, edge, 100 * count / total, NAN, NAN,
					 "");
				continue;
			}
			if (edge > end * (1 + 1e-6))
				n += put(w, edge / scale, 1 - sum / total, NAN,
					 NAN, "");
			sum += count;
			end = bin_end(edge);
			n += put(w, end / scale, 1 - sum / total, NAN, NAN, "");
		}
	return n;
}

static const struct kind kinds[] = {
	{ "curve", true, put_value },	     { "line", true, put_value },
	{ "knee", true, put_value },	     { "stair", true, put_value },
	{ "bars", false, put_bar },	     { "stack", false, put_part },
	{ "heatmap", false, put_cell },	     { "incidence", false, put_bins },
	{ "distribution", false, put_bins }, { "card", false, put_value },
	{ "ensembles", false, NULL },
};

/* The series, and their names; of a series without points, which has its
 * colour but needs no place in the key, an empty one. */
static size_t put_series(struct writer *w)
{
	const struct plotdata *d = &w->d;
	const char **names = text_alloc(d->nseries, sizeof(*names));
	size_t n = 0;

	w->top = text_alloc(d->ncategories, sizeof(*w->top));
	for (size_t s = 0; s < d->nseries; s++) {
		size_t here = 0;

		begin_block(w, d->series[s]);
		for (size_t i = 0; i < d->n; i++)
			if (d->points[i].series == s)
				here += w->kind->write(w, &d->points[i]);
		/* gnuplot counts a block only if something is in it. */
		if (!here)
			put(w, NAN, NAN, NAN, NAN, "");
		names[s] = here ? d->series[s] : "";
		n += here;
	}
	put_names(w->settings, "series", names, d->nseries);
	return n;
}

/* The least and the greatest x. */
static void range_of(const struct plotdata *d, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < d->n; i++) {
		*least = fmin(*least, d->points[i].x);
		*most = fmax(*most, d->points[i].x);
	}
}

/* The line of one estimate.  Return: whether it has a value all along. */
static bool put_estimate(struct writer *w, const char *formula,
			 const char *name, const struct formula_world *world)
{
	struct formula_name x[] = { { "x", NAN }, { NULL, NAN } };
	struct formula_world here = *world;
	double y[SAMPLES + 1], at[SAMPLES + 1], least, most;

	here.more = x;
	range_of(&w->d, &least, &most);
	for (size_t i = 0; i <= SAMPLES; i++) {
		const double share = (double)i / SAMPLES;
		const char *missing;

		at[i] = least > 0 && most / least > 100
				? least * pow(most / least, share)
				: least + (most - least) * share;
		x[0].value = at[i];
		y[i] = formula_value(formula, &here, &missing) / w->d.scale;
		if (!isfinite(y[i]) || !isfinite(at[i]))
			return false;
	}
	begin_block(w, formula);
	for (size_t i = 0; i <= SAMPLES; i++)
		put(w, at[i], y[i], NAN, NAN, i == SAMPLES ? name : "");
	return true;
}

/* The next line of @kind that is of the figure. */
static const struct rowtable_line *next_line(const struct writer *w,
					     const char *kind,
					     const struct rowtable_line *last)
{
	do {
		last = rowtable_next(&w->run->suite, kind, last);
	} while (last &&
		 (last->n != 3 || strcmp(last->field[0], w->fig->id) != 0));
	return last;
}

/* The `predicted` lines of the figure, as blocks behind its series. */
static void put_estimates(struct writer *w)
{
	const struct course *c = w->course;
	const struct rowtable_line *line = NULL;
	double *predicted = text_alloc(c->ops.n, sizeof(*predicted));
	const struct formula_world world = { w->run, &c->ops, predicted, NULL };
	const char *names[MAX_LINES];
	size_t n = 0;

	for (size_t i = 0; i < c->ops.n; i++)
		predicted[i] = course_predicted(c, i);
	while (n < MAX_LINES && (line = next_line(w, "predicted", line))) {
		names[n] = formula_text(line->field[1], &world);
		n += put_estimate(w, line->field[2], names[n], &world);
	}
	put_names(w->settings, "predicted", names, n);
}

/* Places of the x axis, each once. */
struct marks {
	double at[MAX_LINES];
	const char *name[MAX_LINES];
	size_t n;
};

static void add_mark(struct marks *m, double at, const char *name)
{
	bool known = !(at > 0) || m->n == MAX_LINES;

	for (size_t i = 0; i < m->n; i++)
		known |= fabs(m->at[i] - at) < 1e-6 * at &&
			 !strcmp(m->name[i], name);
	if (known)
		return;
	m->at[m->n] = at;
	m->name[m->n++] = name;
}

/* The data caches of the machine. */
static void add_caches(struct marks *m, const struct run *run)
{
	const json_t *caches = run_at(run->machine, "caches"), *c;
	size_t i;

	json_array_foreach(caches, i, c)
	{
		const char *type = run_text(c, "type");
		const double level = run_number(c, "level");

		if (isfinite(level) &&
		    (!type || strcmp(type, "instruction") != 0))
			add_mark(m, run_number(c, "size_bytes"),
				 text_format("L%.0f", level));
	}
}

/* The `mark` lines of the figure, the caches in a stair, and sizes that its
 * rows name as a limit. */
static void put_marks(struct writer *w)
{
	const struct formula_world world = { w->run, &w->course->ops, NULL,
					     NULL };
	const struct rowtable_line *line = NULL;
	struct marks m = { .n = 0 };
	const char *missing;

	if (!strcmp(w->fig->kind, "stair"))
		add_caches(&m, w->run);
	while ((line = next_line(w, "mark", line)))
		add_mark(&m, formula_value(line->field[2], &world, &missing),
			 line->field[1]);
	for (size_t i = 0; i < w->d.n; i++)
		add_mark(&m,
			 run_number(w->d.points[i].row->all.evidence,
				    "limit_bytes"),
			 "limit");
	put_names(w->settings, "marks", m.name, m.n);
	fprintf(w->settings, "array mark_at[%zu]\n", m.n ? m.n : 1);
	for (size_t i = 0; i < m.n; i++)
		fprintf(w->settings, "mark_at[%zu] = %.9g\n", i + 1, m.at[i]);
}

/* "cost, %u" with the unit in the place of %u. */
static void put_label(FILE *f, const char *name, const char *text,
		      const char *unit)
{
	const char *at = strstr(text, "%u");

	fprintf(f, "%s = ", name);
	text_gnuplot(f, at ? text_format("%.*s%s%s", (int)(at - text), text,
					 unit, at + 2)
			   : text);
	fputc('\n', f);
}

/* The names of @axis of a matrix, in the order of their places. */
static void put_ranked(FILE *f, const char *array, const char *const *names,
		       size_t n)
{
	const char **ranked = text_alloc(n, sizeof(*ranked));

	for (size_t i = 0; i < n; i++)
		ranked[rank_of(names, n, i)] = names[i];
	put_names(f, array, ranked, n);
}

static bool is_card(const struct figure *fig)
{
	return !strcmp(fig->kind, "card");
}

static void put_settings(struct writer *w)
{
	const struct figure *fig = w->fig;
	const struct plotdata *d = &w->d;
	const double core_hz = d->n ? d->points[0].row->all.core_hz : NAN;
	const char *axis =
		words_of(&w->run->suite, fig->benchmark, fig->series, "");
	FILE *f = w->settings;

	fprintf(f,
		"# For `gnuplot -c %s.plot PLOTS`, as scripts/plot does.\n"
		"plots = ARG1\nid = '%s'\n",
		fig->id, fig->id);
	put_label(f, "x_label", fig->xlabel, d->unit);
	put_label(f, "y_label", fig->ylabel, d->unit);
	put_label(f, "title",
		  is_card(fig) ? text_cut(card_machine(w->run), 90)
			       : fig->title,
		  d->unit);
	put_label(f, "series_label", axis, d->unit);
	put_label(f, "unit", "%u", d->unit);
	fprintf(f, "log_x = %d\nlog_y = %d\ncycles_per_unit = %.9g\n",
		text_glob(fig->flags, "logx"), text_glob(fig->flags, "logy"),
		isfinite(core_hz) ? core_hz / 1e9 * d->scale : 0.0);
	put_names(f, "categories", d->categories, d->ncategories);
	put_marks(w);
	if (!strcmp(fig->kind, "heatmap")) {
		put_ranked(f, "xs", d->categories, d->ncategories);
		put_ranked(f, "ys", d->series, d->nseries);
	}
}

static double behind(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtod(at + strlen(name), NULL) : NAN;
}

/* The ensembles of one body, the @column of lines as the white paper's module
 * prints them. */
static size_t put_body(struct writer *w, struct input *in, const char *body,
		       const char *column)
{
	const char *head = text_format("# %s body=%s\n", w->fig->globs, body);
	bool on = false;
	size_t n = 0;

	begin_block(w, text_format("%s %s", body, column));
	input_seek(in, 0);
	while (input_next(in)) {
		if (in->line[0] == '#')
			on = !strcmp(in->line, head);
		if (on && !strncmp(in->line, "loop_size:", 10))
			n += put(w, behind(in->line, "loop_size:"),
				 behind(in->line, column), NAN, NAN, "");
	}
	return n;
}

/* The log that the figure's x names, in FIGURES_DIR or beside the results,
 * which certify or the ring 0 module wrote, of the method that its globs name:
 * least time, then variance, of the empty and the growing body. */
static size_t put_ensembles(struct writer *w)
{
	static const char *const columns[] = { "min time: ",
					       "variance(cycles): " };
	struct input in;
	size_t n = 1;

	if (input_open(&in,
		       text_format("%s/" FIGURES_DIR "/%s", w->run->dir,
				   w->fig->x),
		       INPUT_NO_LINK) &&
	    input_open(&in, text_format("%s/%s", w->run->dir, w->fig->x),
		       INPUT_NO_LINK))
		return 0;
	for (size_t i = 0; i < 2; i++) {
		/* gnuplot draws all or stops. */
		n = put_body(w, &in, "empty", columns[i]) ? n : 0;
		n = put_body(w, &in, "loop", columns[i]) ? n : 0;
	}
	input_close(&in);
	put_names(w->settings, "series", NULL, 0);
	return n;
}

static int write_both(struct writer *w)
{
	size_t n;

	put_settings(w);
	n = w->kind->write ? put_series(w) : put_ensembles(w);
	if (w->kind->numeric)
		put_estimates(w);
	fprintf(w->settings, "load plots.'/%s.gp'\n", w->fig->kind);
	return n ? 0 : -ENODATA;
}

/* Whether each series has a value. */
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

/* A curve of more than two series over one or two places would show none:
 * those places become the series of bars, the series their categories. */
static bool needs_turning(const struct writer *w, struct figure *turned)
{
	double least, most;
	bool between = false;

	range_of(&w->d, &least, &most);
	for (size_t i = 0; i < w->d.n; i++)
		between |= w->d.points[i].x > least && w->d.points[i].x < most;
	*turned = *w->fig;
	turned->kind = kinds[4].name;
	turned->x = w->fig->series;
	turned->series = w->fig->x;
	turned->xlabel = "";
	return !strcmp(w->fig->kind, "curve") && !between && w->d.nseries > 2;
}

static void collect(struct writer *w, struct figure *turned)
{
	size_t known = 0;

	if (is_card(w->fig))
		card_collect(&w->d, w->run);
	else
		plotdata_collect(&w->d, w->fig, w->run);
	if (needs_turning(w, turned)) {
		w->fig = turned;
		plotdata_collect(&w->d, turned, w->run);
	}
	for (size_t i = 0; i < w->d.n; i++)
		known += isfinite(w->d.points[i].y) ||
			 !strcmp(w->fig->value, "histogram");
	/* A picture of bounds shows nothing. */
	if (2 * known < w->d.n ||
	    (text_glob(w->fig->flags, "whole") && !is_whole(&w->d)))
		w->d = (struct plotdata) { .unit = "" };
}

int figure_write(const struct figure *fig, const struct course *course)
{
	struct figure turned;
	struct writer w = { .fig = fig, .run = course->run, .course = course };
	int err = -ENODATA;

	collect(&w, &turned);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, w.fig->kind))
			w.kind = &kinds[i];
	if (!w.kind || (!w.d.n && w.kind->write))
		return err;
	w.data = text_create(figures_path(w.run, fig->id, "dat"));
	w.settings = text_create(figures_path(w.run, fig->id, "plot"));
	err = w.data && w.settings ? write_both(&w) : -errno;
	if (w.data && fclose(w.data))
		err = -errno;
	if (w.settings && fclose(w.settings))
		err = -errno;
	return err;
}
