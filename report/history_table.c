/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "history.h"
#include "rounds.h"
#include "text.h"

#define PANELS	48 /* small plots at most */
#define ACROSS	3
#define WIDTH	270
#define HEIGHT	100
#define MARGIN	14
#define LETTERS 44 /* that fit over a small plot */

void history_runs(struct table *t, const struct history *h)
{
	*t = (struct table) { 0 };
	table_column(t, "run", true);
	table_column(t, "began", false);
	table_column(t, "kernel", false);
	table_column(t, "commit", false);
	table_column(t, "rounds", true);
	table_column(t, "directory", false);
	for (size_t i = 0; i < h->nruns; i++) {
		const struct run *r = &h->runs[i];

		table_row(t, "");
		table_cell(t, 0, text_format("%zu", i + 1));
		table_cell(t, 1, run_text(r->meta, "started_at"));
		table_cell(t, 2, run_text(r->machine, "kernel.release"));
		table_cell(t, 3, run_text(r->meta, "git_id"));
		table_cell(t, 4, rounds_text(r));
		table_cell(t, 5, r->dir);
	}
}

/* Least and greatest value, and the first and last that there are. */
static void ends(const struct series *s, size_t n, double *lo, double *hi,
		 double *first, double *last)
{
	*lo = *hi = *first = *last = NAN;
	for (size_t i = 0; i < n; i++) {
		double v = s->values[i];

		if (isnan(v))
			continue;
		*lo = fmin(*lo, v);
		*hi = fmax(*hi, v);
		*last = v;
		if (isnan(*first))
			*first = v;
	}
}

/* The course of the values in one line, from the least to the greatest. */
static const char *course(const struct series *s, size_t n)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	double lo, hi, first, last;
	const char *text = "";

	ends(s, n, &lo, &hi, &first, &last);
	for (size_t i = 0; i < n; i++) {
		double v = s->values[i];
		size_t level = hi > lo && !isnan(v)
				       ? (size_t)((v - lo) / (hi - lo) * 7.999)
				       : 3;

		text = text_format("%s%s", text,
				   isnan(v) ? "·" : blocks[level % 8]);
	}
	return text;
}

static const char *changes(const struct series *s)
{
	const char *text = NULL;

	for (size_t i = 0; i < s->nchanges; i++)
		text = text_format("%s%sfrom run %zu on %+.1f %%",
				   text ? text : "", text ? "; " : "",
				   s->changes[i].at + 1,
				   100 * expm1(s->changes[i].shift));
	return text;
}

/* A share in percent, where there is one. */
static void share(struct table *t, size_t column, double value)
{
	if (isfinite(value))
		table_cell(t, column, text_percent(value));
}

void history_rows(struct table *t, const struct history *h, bool all)
{
	*t = (struct table) { 0 };
	table_column(t, "operation", false);
	table_column(t, "runs", true);
	table_column(t, "first", true);
	table_column(t, "last", true);
	table_column(t, "last / first", true);
	table_column(t, "± in a run", true);
	table_column(t, "± between runs", true);
	table_column(t, "course", false);
	table_column(t, "changes", false);
	for (size_t i = 0; i < h->n; i++) {
		const struct series *s = &h->v[i];
		const struct result *r = s->row;
		double lo, hi, first, last;

		if (!s->n || (!all && !s->nchanges))
			continue;
		ends(s, h->nruns, &lo, &hi, &first, &last);
		table_row(t, "");
		table_cell(t, 0, text_format("%s: %s", r->benchmark, r->name));
		table_cell(t, 1, text_format("%zu", s->n));
		table_cell(t, 2, text_units(first, r->unit));
		table_cell(t, 3, text_units(last, r->unit));
		if (first > 0)
			table_cell(t, 4, text_format("%.3g", last / first));
		share(t, 5, s->within);
		share(t, 6, s->between);
		table_cell(t, 7, course(s, h->nruns));
		table_cell(t, 8, changes(s));
	}
}

static void label(FILE *f, double x, double y, const char *anchor,
		  const char *text)
{
	const char *part = text_cut(text, LETTERS);

	fprintf(f,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"9\" "
		"font-family=\"sans-serif\" fill=\"#555555\" "
		"text-anchor=\"%s\">",
		x, y, anchor);
	text_html(f, part);
	fputs("</text>\n", f);
}

/* The inside of one small plot; its corner is at @x, @y. */
static void curve(FILE *f, const struct series *s, size_t n, double x, double y)
{
	double lo, hi, first, last, wide = WIDTH - 2 * MARGIN;
	double high = HEIGHT - 2 * MARGIN - 12;

	ends(s, n, &lo, &hi, &first, &last);
	for (size_t i = 0; i < s->nchanges; i++) {
		double at = x + wide * ((double)s->changes[i].at - 0.5) /
					(n > 1 ? (double)n - 1 : 1);

		fprintf(f,
			"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"#d55e00\" stroke-dasharray=\"3,2\"/>\n",
			at, y, at, y + high);
	}
	for (size_t i = 0; i < n; i++) {
		double part = hi > lo ? (s->values[i] - lo) / (hi - lo) : 0.5;

		if (isnan(s->values[i]))
			continue;
		fprintf(f,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" "
			"fill=\"#0072b2\"/>\n",
			x + wide * (double)i / (n > 1 ? (double)n - 1 : 1),
			y + high * (1 - part));
	}
}

static void panel(FILE *f, const struct history *h, const struct series *s,
		  size_t at)
{
	size_t line = at / ACROSS;
	double x = (double)(at % ACROSS) * WIDTH + MARGIN;
	double y = (double)line * HEIGHT + MARGIN;
	const char *name =
		text_format("%s: %s", s->row->benchmark, s->row->name);
	double lo, hi, first, last;
	const char *range;

	ends(s, h->nruns, &lo, &hi, &first, &last);
	range = text_format("%s … %s", text_units(lo, s->row->unit),
			    text_units(hi, s->row->unit));
	label(f, x, y, "start", name);
	curve(f, s, h->nruns, x, y + 8);
	label(f, x, y + HEIGHT - 2 * MARGIN + 8, "start", range);
}

/* Rows with changes first, then the others as they come. */
static size_t panels(FILE *f, const struct history *h)
{
	size_t at = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < h->n && at < PANELS; i++)
			if (h->v[i].n && (h->v[i].nchanges == 0) == pass)
				panel(f, h, &h->v[i], at++);
	return at;
}

int history_plot(const struct history *h, const char *dir)
{
	const char *path = text_format("%s/history.svg", dir);
	size_t count = 0, lines;
	FILE *f;
	int err = 0;

	for (size_t i = 0; i < h->n && count < PANELS; i++)
		count += h->v[i].n > 0;
	lines = (count + ACROSS - 1) / ACROSS;
	f = text_create(path);
	if (!f)
		return -errno;
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		"%zu\" width=\"%d\" height=\"%zu\">\n",
		ACROSS * WIDTH, lines * HEIGHT + MARGIN, ACROSS * WIDTH,
		lines * HEIGHT + MARGIN);
	panels(f, h);
	fputs("</svg>\n", f);
	if (fclose(f))
		err = -errno;
	return err;
}
