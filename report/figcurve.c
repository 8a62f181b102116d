/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "course.h"
#include "figures.h"
#include "text.h"

#define SAMPLES	  32  /* corners of an estimate's line */
#define MAX_LINES 8   /* of estimates, and of marks, in a figure */
#define FAR	  10. /* times x: between such points no line is drawn */
#define FAR_STAIR 4.  /* there a step could hide between them */

/* A curve's x axis. */
struct axis {
	bool log;
	double least, most, gap; /* gap: the shortest way between two places */
};

static double place_on(const struct axis *a, double x)
{
	return a->log ? log(x) : x;
}

static bool is_drawn(const struct figwriter *w, const struct point *p)
{
	return isfinite(p->x) &&
	       (isfinite(p->y) || isfinite(figwrite_limit(w, p)));
}

static struct axis axis_of(const struct figwriter *w)
{
	const struct plotdata *d = w->d;
	struct axis a = { .log = figures_flag(w->fig, "logx") ||
				 !strcmp(w->fig->kind, "stair"),
			  .least = INFINITY,
			  .most = -INFINITY,
			  .gap = INFINITY };

	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];
		double way;

		if (!is_drawn(w, p) || (a.log && !(p->x > 0)))
			continue;
		a.least = fmin(a.least, p->x);
		a.most = fmax(a.most, p->x);
		for (size_t k = 0; k < d->n; k++) {
			way = place_on(&a, d->points[k].x) - place_on(&a, p->x);
			if (is_drawn(w, &d->points[k]) && way > 1e-9)
				a.gap = fmin(a.gap, way);
		}
	}
	return a;
}

/* How far the series stand from each other, so that none hides another: less
 * than from one place of the axis to the next. */
static void put_dodge(struct figwriter *w, const struct axis *a)
{
	const double range = place_on(a, a->most) - place_on(a, a->least);
	double step = fmin(0.6 * a->gap / (double)w->d->nseries, 0.009 * range);

	if (!(step > 0) || !isfinite(step) || w->d->nseries < 2)
		step = 0;
	fprintf(w->settings, "dodge = %.9g\n", a->log ? exp(step) : step);
}

static void put_point(struct figwriter *w, const struct point *p)
{
	const double scale = w->d->scale;

	figwrite_number(w->data, p->x, ' ');
	figwrite_number(w->data, p->y / scale, ' ');
	figwrite_number(w->data, p->lo / scale, ' ');
	figwrite_number(w->data, p->hi / scale, ' ');
	figwrite_number(w->data, p->cycles, ' ');
	figwrite_number(w->data, figwrite_limit(w, p), ' ');
	fprintf(w->data, "%llu ", (unsigned long long)p->row->all.n);
	figwrite_hover(w, p, '\n');
}

/* The points of series @s, with a gap where a line would be a guess. */
static size_t put_curve(struct figwriter *w, size_t s, const struct axis *a,
			size_t *limits)
{
	const double far = strcmp(w->fig->kind, "stair") ? FAR : FAR_STAIR;
	const struct plotdata *d = w->d;
	double last = NAN;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];

		if (p->series != s || !is_drawn(w, p))
			continue;
		if (a->log && p->x > last * far * (1 - 1e-9))
			fputc('\n', w->data);
		last = p->x;
		put_point(w, p);
		*limits += isfinite(figwrite_limit(w, p));
		n++;
	}
	return n;
}

/* The line of one estimate.  Return: whether it has a value all along. */
static bool put_estimate(struct figwriter *w, const struct axis *a,
			 const char *formula, const struct formula_world *world,
			 size_t block)
{
	struct formula_name x[] = { { "x", NAN }, { NULL, NAN } };
	struct formula_world here = *world;
	double y[SAMPLES + 1], at[SAMPLES + 1];

	here.more = x;
	for (size_t i = 0; i <= SAMPLES; i++) {
		const double share = (double)i / SAMPLES;
		const char *missing;

		at[i] = a->log ? a->least * pow(a->most / a->least, share)
			       : a->least + (a->most - a->least) * share;
		x[0].value = at[i];
		y[i] = formula_value(formula, &here, &missing) / w->d->scale;
		if (!isfinite(y[i]) || !isfinite(at[i]))
			return false;
	}
	figwrite_block(w, block, formula);
	for (size_t i = 0; i <= SAMPLES; i++)
		fprintf(w->data, "%.9g %.9g\n", at[i], y[i]);
	return true;
}

/* What was predicted of each operation: a new array. */
static double *predictions(const struct course *c)
{
	double *v = text_alloc(c->ops.n, sizeof(*v));

	for (size_t i = 0; i < c->ops.n; i++)
		v[i] = course_predicted(c, i);
	return v;
}

/* The next line of @kind that is of the figure. */
static const struct rowtable_line *next_line(const struct figwriter *w,
					     const char *kind,
					     const struct rowtable_line *last)
{
	do {
		last = rowtable_next(&w->course->table, kind, last);
	} while (last &&
		 (last->n != 3 || strcmp(last->field[0], w->fig->id) != 0));
	return last;
}

/* The `predicted` lines of the figure, as blocks behind its series. */
static void put_estimates(struct figwriter *w, const struct axis *a)
{
	const struct course *c = w->course;
	const struct rowtable_line *line = NULL;
	double *predicted = predictions(c);
	const struct formula_world world = { w->run, &c->ops, predicted,
					     &c->table, NULL };
	const char *names[MAX_LINES];
	size_t n = 0;

	while (n < MAX_LINES && (line = next_line(w, "predicted", line)))
		if (put_estimate(w, a, line->field[2], &world,
				 w->d->nseries + n))
			names[n++] = formula_text(line->field[1], &world);
	figwrite_names(w->settings, "predicted", names, n);
}

void figwrite_marks(struct figwriter *w)
{
	const struct course *c = w->course;
	const struct formula_world world = { w->run, &c->ops, NULL, &c->table,
					     NULL };
	const struct rowtable_line *line = NULL;
	const char *names[MAX_LINES];
	size_t n = 0;

	fprintf(w->settings, "array mark_at[%d]\n", MAX_LINES);
	while (n < MAX_LINES && (line = next_line(w, "mark", line))) {
		const char *missing;
		const double x =
			formula_value(line->field[2], &world, &missing);

		if (!isfinite(x))
			continue;
		names[n++] = line->field[1];
		fprintf(w->settings, "mark_at[%zu] = %.9g\n", n, x);
	}
	figwrite_names(w->settings, "marks", names, n);
}

size_t figwrite_curve(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	const struct axis a = axis_of(w);
	size_t n = 0, limits = 0;

	fputs("# x value low high cycles below n row\n", w->data);
	for (size_t s = 0; s < d->nseries; s++) {
		size_t here;

		figwrite_block(w, s, d->series[s]);
		here = put_curve(w, s, &a, &limits);
		/* gnuplot counts a block only if something is in it. */
		if (!here)
			fputs("NaN NaN NaN NaN NaN NaN 0 \"\"\n", w->data);
		n += here;
	}
	put_dodge(w, &a);
	put_estimates(w, &a);
	fprintf(w->settings, "n_below = %zu\n", limits);
	return n;
}
