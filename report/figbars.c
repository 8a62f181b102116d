/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "figures.h"
#include "text.h"

static size_t category_of(const struct plotdata *d, const char *name)
{
	for (size_t i = 0; i < d->ncategories; i++)
		if (!strcmp(d->categories[i], name))
			return i;
	return 0;
}

static bool is_bar(const struct point *p)
{
	return p->y > 0;
}

/* How many bars stand with that of point @i, and how many come before it. */
static size_t bars_beside(const struct plotdata *d, size_t i, size_t *before)
{
	const struct point *p = &d->points[i];
	size_t n = 0;

	*before = 0;
	for (size_t k = 0; k < d->n; k++) {
		const struct point *q = &d->points[k];

		if (!is_bar(q) || strcmp(q->category, p->category) != 0)
			continue;
		*before += q->series < p->series ||
			   (q->series == p->series && k < i);
		n++;
	}
	return n;
}

size_t figwrite_bars(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	double least = INFINITY, most = 0;
	size_t n = 0, widest = 1;

	fputs("# category value low high end place name row\n", w->data);
	for (size_t s = 0; s < d->nseries; s++) {
		size_t before = n;

		figwrite_block(w, s, d->series[s]);
		for (size_t i = 0; i < d->n; i++) {
			const struct point *p = &d->points[i];
			size_t beside, at;

			if (p->series != s || !is_bar(p))
				continue;
			beside = bars_beside(d, i, &at);
			widest = beside > widest ? beside : widest;
			least = fmin(least,
				     (p->lo > 0 ? p->lo : p->y) / d->scale);
			most = fmax(most, fmax(p->y, p->hi) / d->scale);
			fprintf(w->data, "%zu ", category_of(d, p->category));
			figwrite_number(w->data, p->y / d->scale, ' ');
			figwrite_number(w->data, p->lo / d->scale, ' ');
			figwrite_number(w->data, p->hi / d->scale, ' ');
			figwrite_number(w->data, fmax(p->y, p->hi) / d->scale,
					' ');
			fprintf(w->data, "%g ",
				(double)at - ((double)beside - 1) / 2);
			text_data(w->data, p->category);
			fputc(' ', w->data);
			figwrite_hover(w, p, '\n');
			n++;
		}
		if (n == before)
			fputs("NaN NaN NaN NaN NaN NaN \"\" \"\"\n", w->data);
	}
	if (n)
		fprintf(w->settings,
			"least = %.9g\nmost = %.9g\nwidest = %zu\n", least,
			most, widest);
	return n;
}

size_t figwrite_stack(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	double *top = text_alloc(d->ncategories, sizeof(*top));
	size_t n = 0;

	fputs("# category begin end name row\n", w->data);
	for (size_t s = 0; s < d->nseries; s++) {
		size_t before = n;

		figwrite_block(w, s, d->series[s]);
		for (size_t i = 0; i < d->n; i++) {
			const struct point *p = &d->points[i];
			size_t c = category_of(d, p->category);

			if (p->series != s || !is_bar(p))
				continue;
			fprintf(w->data, "%zu ", c);
			figwrite_number(w->data, top[c], ' ');
			top[c] += p->y / d->scale;
			figwrite_number(w->data, top[c], ' ');
			text_data(w->data, p->category);
			fputc(' ', w->data);
			figwrite_hover(w, p, '\n');
			n++;
		}
		if (n == before)
			fputs("NaN NaN NaN \"\" \"\"\n", w->data);
	}
	return n;
}
