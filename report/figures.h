/* SPDX-License-Identifier: MIT */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "load.h"
#include "rowtable.h"

struct card;
struct course;

/* Where pictures, their data and settings are, in a results directory. */
#define FIGURES_DIR "plots"

/* figures_folder() - make @dir/FIGURES_DIR.  Return: 0 or -errno; -ENOTDIR if
 * something else, such as a link, is in its place. */
int figures_folder(const char *dir);

/* figures_picture() - @name.svg as a path from @dir: in FIGURES_DIR, or beside
 * the results, where versions before it wrote it. */
const char *figures_picture(const char *dir, const char *name);

/*
 * Figures are data: one line of a rows.tsv says which rows of which
 * benchmark are drawn how.  A figure without data is left out.
 */
struct figure {
	const char *id, *kind, *benchmark, *globs, *x, *series, *value, *flags;
	const char *title, *xlabel, *ylabel, *caption;
	const struct card *card; /* what it shows of all programs, or NULL */
	bool drawn;		 /* its pictures were made */
};

struct figures {
	struct figure *v;
	size_t n;
	const char *trouble; /* why pictures were not drawn, or NULL */
	const char *remedy;
};

/* figures_read() - from the rows.tsv below @root; bad lines become notes.
 * Return: 0 or -errno. */
int figures_read(struct figures *figs, const char *root, struct notes *notes);

/* figures_add_card() - the picture of @card, which must outlive @figs. */
void figures_add_card(struct figures *figs, const struct card *card);

/* figures_make() - write the data of each figure into the run's directory,
 * drop those without any, and draw them by @root/scripts/plot unless
 * @no_plots. */
void figures_make(struct figures *figs, const struct run *run,
		  const struct course *course, const char *root, bool no_plots);

/* figures_draw() - run @root/scripts/plot DIR ID...  Return: its exit status,
 * or -errno after the reason was said. */
int figures_draw(const char *root, const char *dir, const char *const *ids,
		 size_t count);

/* figures_flag() - whether "logx" etc. is among the figure's flags. */
bool figures_flag(const struct figure *fig, const char *flag);

struct course;

/* What a figure shows of one case. */
struct point {
	const struct row *row;
	double x;	      /* NAN if the axis is not a number there */
	const char *category; /* the coordinate as text */
	size_t series;
	double y, lo, hi; /* NAN where not known */
	double cycles;
};

struct plotdata {
	struct point *points;
	size_t n;
	const char **series; /* names, in the order of the rows */
	size_t nseries;
	const char **categories;
	size_t ncategories;
	double scale; /* y is divided by it */
	const char *unit;
};

/* figdata_collect() - the points of @fig, sorted by series and x for numeric
 * axes; series and categories in the order of its patterns, then of the rows,
 * by the words that @table has for them. */
void figdata_collect(struct plotdata *data, const struct figure *fig,
		     const struct run *run, const struct rowtable *table);

/**
 * figdata_write() - write DIR/ID.dat and DIR/ID.plot (settings for the
 * template), with the estimates of @course that belong into it.
 *
 * Return: 0; -ENODATA if there is nothing to draw; -errno.
 */
int figdata_write(const struct figure *fig, const struct run *run,
		  const struct course *course);

/* figdata_is_curve() - whether its x axis counts. */
bool figdata_is_curve(const struct figure *fig);

/*
 * Data and settings of one kind of figure.  Series are parted by two blank
 * lines, which gnuplot calls an index.  What a template must know besides the
 * data (names, ranges) goes to the settings as gnuplot variables.
 */
struct figwriter {
	const struct figure *fig;
	struct plotdata *d;
	const struct run *run;
	const struct course *course; /* words, estimates and marks */
	FILE *data, *settings;
};

/* Each returns how many points it wrote. */
size_t figwrite_curve(struct figwriter *w);
size_t figwrite_bars(struct figwriter *w);
size_t figwrite_stack(struct figwriter *w);
size_t figwrite_heatmap(struct figwriter *w);
size_t figwrite_incidence(struct figwriter *w);
size_t figwrite_distribution(struct figwriter *w);
size_t figwrite_card(struct figwriter *w);

/* figwrite_ensembles() - of a log that the figure's x names, which certify or
 * the ring 0 module wrote, and of the method that its globs name. */
size_t figwrite_ensembles(struct figwriter *w);

/* figwrite_marks() - the `mark` lines of the figure: places of its x axis. */
void figwrite_marks(struct figwriter *w);

/* figwrite_limit() - the bound of a row below resolution, as the axis has it;
 * else NAN. */
double figwrite_limit(const struct figwriter *w, const struct point *p);

/* figwrite_hover() - what a pointer over @p shows, as one word of the data:
 * its case, its value and its interval. */
void figwrite_hover(struct figwriter *w, const struct point *p, char end);

/* figwrite_block() - begin the data of series @i, from 0 on. */
void figwrite_block(struct figwriter *w, size_t i, const char *name);

/* figwrite_number() - a number, or NaN, which gnuplot leaves out. */
void figwrite_number(FILE *f, double x, char end);

/* figwrite_names() - a gnuplot array of strings. */
void figwrite_names(FILE *f, const char *array, const char *const *names,
		    size_t n);

#endif
