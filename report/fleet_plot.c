/* SPDX-License-Identifier: MIT */
#include "fleet_plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "fleet_export.h"
#include "text.h"

#define STRIP_ROWS  24
#define STRIP_NODES 300
#define HEAT_ROWS   60
#define HEAT_NODES  40

/* What is drawn of the largest class. */
struct picture {
	const struct fleet *f;
	const struct fleet_class *class;
	const struct fleet_node **nodes;
	size_t n, *rows, nrows;
	FILE *data, *settings;
};

struct place {
	size_t row;
	double far;
};

static int by_far(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->far < y->far	 ? 1
	       : x->far > y->far ? -1
				 : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The rows in which the nodes shown lie furthest out, in their order. */
static void choose_rows(struct picture *p, size_t most)
{
	struct place *v = text_alloc(p->f->nrows, sizeof(*v));

	p->nrows = 0;
	for (size_t i = 0; i < p->f->nrows; i++) {
		struct place *to = &v[p->nrows];

		if (p->class->levels[i].state < FLEET_ROW_SPLIT)
			continue;
		*to = (struct place) { i, 0 };
		for (size_t k = 0; k < p->n; k++)
			if (isfinite(p->nodes[k]->cells[i].z))
				to->far =
					fmax(to->far, p->nodes[k]->cells[i].z);
		p->nrows++;
	}
	qsort(v, p->nrows, sizeof(*v), by_far);
	if (p->nrows > most)
		p->nrows = most;
	for (size_t i = 0; i < p->nrows; i++)
		p->rows[i] = v[i].row;
	qsort(p->rows, p->nrows, sizeof(*p->rows), by_row);
	free(v);
}

static void put_setting(FILE *f, const char *name, const char *text)
{
	fprintf(f, "%s = ", name);
	text_gnuplot(f, text);
	fputc('\n', f);
}

static void put_rows(const struct picture *p, const char *array)
{
	const char **names = text_alloc(p->nrows, sizeof(*names));

	for (size_t i = 0; i < p->nrows; i++)
		names[i] = text_cut(fleet_title(&p->f->rows[p->rows[i]]), 44);
	figwrite_names(p->settings, array, names, p->nrows);
}

/* A point of @node in row number @i of those shown. */
static void put_point(const struct picture *p, const struct fleet_node *node,
		      size_t i, double x, double y, double third)
{
	const struct fleet_cell *cell = &node->cells[p->rows[i]];
	char *title = fleet_title(&p->f->rows[p->rows[i]]);
	char *hover = text_format("%s: %s, %.4g times the median", node->name,
				  title, fleet_ratio(cell));

	figwrite_number(p->data, x, ' ');
	figwrite_number(p->data, y, ' ');
	if (isfinite(third))
		figwrite_number(p->data, third, ' ');
	text_data(p->data, hover);
	fputc('\n', p->data);
	free(hover);
	free(title);
}

static void put_strips(struct picture *p)
{
	const char *const series[] = { "nodes", "slow nodes" };

	choose_rows(p, STRIP_ROWS);
	put_setting(p->settings, "x_label", "cost / median of the class");
	put_rows(p, "ys");
	figwrite_names(p->settings, "series", series, 2);
	for (int slow = 0; slow < 2; slow++) {
		fputs(slow ? "\n\n# slow\n" : "# nodes\n", p->data);
		for (size_t k = 0; k < p->n; k++)
			for (size_t i = 0; i < p->nrows; i++) {
				const double effect =
					p->nodes[k]->cells[p->rows[i]].effect;
				const double beside =
					(double)(k * 37 % 61) / 100 - 0.3;

				if (isfinite(effect) &&
				    fleet_is_bad(p->nodes[k]) == slow)
					put_point(p, p->nodes[k], i,
						  exp(effect),
						  (double)i + beside, NAN);
			}
	}
}

static void put_heat(struct picture *p)
{
	const char **names = text_alloc(p->n, sizeof(*names));
	const char *const series[] = { "" };

	choose_rows(p, HEAT_ROWS);
	put_setting(p->settings, "x_label", "");
	put_setting(p->settings, "series_label", "");
	put_rows(p, "xs");
	for (size_t k = 0; k < p->n; k++)
		names[k] = p->nodes[k]->name;
	figwrite_names(p->settings, "ys", names, p->n);
	figwrite_names(p->settings, "series", series, 1);
	free(names);
	for (size_t k = 0; k < p->n; k++)
		for (size_t i = 0; i < p->nrows; i++) {
			const double effect =
				p->nodes[k]->cells[p->rows[i]].effect;

			if (isfinite(effect))
				put_point(p, p->nodes[k], i, (double)i,
					  (double)k, exp(effect));
		}
}

static const struct {
	char *id;
	const char *template, *title;
	size_t nodes;
	void (*put)(struct picture *p);
} pictures[] = {
	{ "fleet-strips", "strips", "Where nodes lie furthest from the median",
	  STRIP_NODES, put_strips },
	{ "fleet-heat", "heatmap", "Nodes by rows: cost / median", HEAT_NODES,
	  put_heat },
};

#define PICTURES (sizeof(pictures) / sizeof(*pictures))

static FILE *create(const char *dir, const char *id, const char *suffix)
{
	char *path = text_format("%s/%s.%s", dir, id, suffix);
	FILE *f = text_create(path);

	free(path);
	return f;
}

/* Of the nodes of the class: the flagged and some of the rest. */
static void choose_nodes(struct picture *p, size_t most)
{
	const size_t n = fleet_sample(p->nodes, p->f, most);

	p->n = 0;
	for (size_t i = 0; i < n; i++)
		if (&p->f->classes[p->nodes[i]->class] == p->class)
			p->nodes[p->n++] = p->nodes[i];
}

static int put_picture(struct picture *p, size_t i)
{
	const char *id = pictures[i].id;
	int err = 0;

	choose_nodes(p, pictures[i].nodes);
	p->data = create(p->f->dir, id, "dat");
	p->settings = create(p->f->dir, id, "plot");
	if (p->data && p->settings) {
		fprintf(p->settings, "plots = ARG1\nid = '%s'\n", id);
		put_setting(p->settings, "title", pictures[i].title);
		put_setting(p->settings, "y_label", "");
		fputs("log_x = 0\nlog_y = 1\n", p->settings);
		pictures[i].put(p);
		fprintf(p->settings, "load plots.'/%s.gp'\n",
			pictures[i].template);
	} else {
		err = -EIO;
	}
	if (p->data && fclose(p->data))
		err = -EIO;
	if (p->settings && fclose(p->settings))
		err = -EIO;
	return err;
}

int fleet_plot(const struct fleet *f, const char *root)
{
	struct picture p = { .f = f, .class = f->classes };
	const char *ids[PICTURES];
	int err = 0;

	if (!f->nclasses || !p.class->bounds)
		return -ENODATA;
	p.nodes = text_alloc(f->n, sizeof(struct fleet_node *));
	p.rows = text_alloc(f->nrows, sizeof(*p.rows));
	for (size_t i = 0; i < PICTURES && !err; i++) {
		err = put_picture(&p, i);
		ids[i] = pictures[i].id;
	}
	free(p.nodes);
	free(p.rows);
	return err ? err : figures_draw(root, f->dir, ids, PICTURES);
}
