/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "figures.h"
#include "text.h"

#define ROWS_MAX    80	/* more would be no picture but a table */
#define LABEL	    360 /* pixels for the names of the rows */
#define LABEL_CHARS 52
#define PLOT	    420
#define LINE	    16
#define TOP	    36
#define TICKS	    40 /* between two of them at least */

/* Okabe and Ito's colours, as in all figures; with a shape for those who do
 * not see them. */
static const char *const colours[] = {
	[VERDICT_SAME] = "#777777",
	[VERDICT_SMALL] = "#777777",
	[VERDICT_FASTER] = "#0072b2",
	[VERDICT_SLOWER] = "#d55e00",
};

static int by_p(const void *a, const void *b)
{
	const struct pair *p = *(const struct pair *const *)a;
	const struct pair *q = *(const struct pair *const *)b;

	return (p->p > q->p) - (p->p < q->p);
}

/* The slowest first. */
static int by_effect(const void *a, const void *b)
{
	const struct pair *p = *(const struct pair *const *)a;
	const struct pair *q = *(const struct pair *const *)b;

	return (p->cost.shift < q->cost.shift) -
	       (p->cost.shift > q->cost.shift);
}

/* The rows to draw: those least likely to be the same, by their effect. */
static size_t choose(const struct pair **rows, const struct comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].tested)
			rows[n++] = &c->v[i];
	qsort(rows, n, sizeof(struct pair *), by_p);
	if (n > ROWS_MAX)
		n = ROWS_MAX;
	qsort(rows, n, sizeof(struct pair *), by_effect);
	return n;
}

/* Half the width of the axis, a logarithm: all dots fit, intervals are cut
 * where they are much wider. */
static double half_width(const struct pair **rows, size_t n)
{
	double half = log(1.02), far = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rank_shift *s = &rows[i]->cost;

		half = fmax(half, 1.2 * fabs(s->shift));
		far = fmax(far, fmax(fabs(s->lo), fabs(s->hi)));
	}
	return fmin(fmax(half, far), fmin(3 * half, log(100)));
}

static double place(double log_ratio, double half)
{
	double x = fmax(-half, fmin(half, log_ratio));

	return LABEL + PLOT * (x + half) / (2 * half);
}

static void text(FILE *f, double x, double y, const char *anchor, const char *s)
{
	fprintf(f,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" "
		"font-family=\"sans-serif\" fill=\"#555555\" "
		"text-anchor=\"%s\">",
		x, y, anchor);
	text_html(f, s);
	fputs("</text>\n", f);
}

/* One line of the axis with its number, unless it would be too near to @last.
 * Return: where the next one must keep away from. */
static double tick(FILE *f, double ratio, double half, double bottom,
		   double last)
{
	const double x = place(log(ratio), half);
	const char *label = text_format("%g", ratio);

	if (fabs(log(ratio)) <= half && fabs(x - last) >= TICKS) {
		fprintf(f,
			"<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" "
			"stroke=\"%s\" stroke-width=\"%s\"/>\n",
			x, TOP - 6, x, bottom,
			ratio < 1 || ratio > 1 ? "#bbbbbb" : "#555555",
			ratio < 1 || ratio > 1 ? "0.5" : "1");
		text(f, x, TOP - 10, "middle", label);
		last = x;
	}
	return last;
}

/* Round ratios, from 1 on to both sides, as many as have room. */
static void axis(FILE *f, const struct side *b, double half, size_t n)
{
	const char *slash = strrchr(b->name, '/');
	const char *label = text_format("%s is B", slash ? slash + 1 : b->name);

	static const double less[] = { 0.99, 0.98, 0.95, 0.9,  0.8, 0.7,
				       0.5,  0.2,  0.1,	 0.05, 0.02 };
	static const double more[] = { 1.01, 1.02, 1.05, 1.1, 1.2, 1.5,
				       2,    5,	   10,	 20,  50 };
	const double bottom = TOP + LINE * (double)n + 4;
	const double middle = tick(f, 1, half, bottom, -TICKS);
	double left = middle, right = middle;

	for (size_t i = 0; i < sizeof(less) / sizeof(less[0]); i++) {
		left = tick(f, less[i], half, bottom, left);
		right = tick(f, more[i], half, bottom, right);
	}
	text(f, LABEL - 10, 11, "end", label);
	text(f, LABEL + PLOT / 2.0, 11, "middle", "cost of B / cost of A");
	text(f, LABEL, 11, "start", "← B is faster");
	text(f, LABEL + PLOT, 11, "end", "B is slower →");
}

/* A dot, a square or a diamond by the verdict. */
static void mark(FILE *f, double x, double y, enum verdict verdict)
{
	const char *colour = colours[verdict];

	if (verdict == VERDICT_SAME || verdict == VERDICT_SMALL)
		fprintf(f,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
			"fill=\"%s\"/>\n",
			x, y, colour);
	else if (verdict == VERDICT_FASTER)
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" "
			"fill=\"%s\"/>\n",
			x - 3.5, y - 3.5, colour);
	else
		fprintf(f,
			"<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f "
			"%.1f,%.1f\" fill=\"%s\"/>\n",
			x, y - 5, x + 5, y, x, y + 5, x - 5, y, colour);
}

static void draw_row(FILE *f, const struct pair *p, size_t i, double half)
{
	double y = TOP + LINE * ((double)i + 0.5) + 2;
	const char *label = compare_label(p);

	text(f, LABEL - 10, y + 4, "end", text_cut(label, LABEL_CHARS));
	fputs("<g><title>", f);
	text_html(f, label);
	fprintf(f, ": %.4g (%.4g – %.4g)</title>\n", exp(p->cost.shift),
		exp(p->cost.lo), exp(p->cost.hi));
	fprintf(f,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
		"stroke=\"%s\" stroke-width=\"1.5\"/>\n",
		place(p->cost.lo, half), y, place(p->cost.hi, half), y,
		colours[p->verdict]);
	mark(f, place(p->cost.shift, half), y, p->verdict);
	fputs("</g>\n", f);
}

int compare_plot(const struct comparison *c, const char *dir, const char *name)
{
	const struct pair **rows = text_alloc(c->n, sizeof(struct pair *));
	size_t n = choose(rows, c);
	double half = half_width(rows, n);
	const char *path = text_format("%s/" FIGURES_DIR "/%s.svg", dir, name);
	FILE *f;
	int err = figures_folder(dir);

	if (err)
		return err;
	f = text_create(path);
	if (!f) {
		err = -errno;
	} else {
		size_t height = TOP + LINE * n + 12;

		fprintf(f,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 "
			"0 %d %zu\" width=\"%d\" height=\"%zu\">\n",
			LABEL + PLOT + 30, height, LABEL + PLOT + 30, height);
		fputs("<style>@media "
		      "(prefers-color-scheme:dark){svg{filter:invert(.93) "
		      "hue-rotate(180deg)}}</style>\n"
		      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
		      f);
		axis(f, c->b, half, n);
		for (size_t i = 0; i < n; i++)
			draw_row(f, rows[i], i, half);
		fputs("</svg>\n", f);
		if (fclose(f))
			err = -errno;
	}
	return err;
}
