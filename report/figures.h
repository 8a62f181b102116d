/* SPDX-License-Identifier: MIT */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "load.h"
#include "rowtable.h"

struct course;

/* Where pictures, their data and settings are, in a results directory. */
#define FIGURES_DIR "plots"

/*
 * Figures are data: one line of a rows.tsv says which rows of which
 * benchmark are drawn how.  A figure without data is left out.
 */
struct figure {
	const char *id, *kind, *benchmark, *globs, *x, *series, *value, *flags;
	const char *title, *xlabel, *ylabel, *caption;
	bool drawn; /* its pictures were made */
};

struct figures {
	struct figure *v;
	size_t n;
};

/* figures_read() - set those of @run by its `figure` lines, of which bad ones
 * become notes. */
void figures_read(struct run *run);

/* figures_make() - write the data of each figure into the run's directory,
 * drop those without any, and draw them by @root/scripts/plot unless
 * @no_plots. */
void figures_make(const struct course *course, const char *root, bool no_plots);

/* figures_path() - where a file of a figure is. */
const char *figures_path(const struct run *run, const char *id,
			 const char *suffix);

/* The point of one case in a figure. */
struct point {
	const struct row *row;
	size_t series;
	double x;	  /* the coordinate, or the number of the category */
	double y, lo, hi; /* NAN where not known; y, too: less than @hi */
	const char *label;
};

struct plotdata {
	struct point *points;
	size_t n;
	const char **series; /* names, in the order of the rows */
	size_t nseries;
	const char **categories;
	size_t ncategories;
	double scale; /* values are divided by it */
	const char *unit;
};

/* plotdata_name() - the number of @name among the *@n @names, where it is added
 * if it is new. */
size_t plotdata_name(const char ***names, size_t *n, const char *name);

/* plotdata_collect() - what @fig shows: each row of its patterns once, in the
 * order of its patterns, then of the rows, named by the `word` lines. */
void plotdata_collect(struct plotdata *d, const struct figure *fig,
		      const struct run *run);

/**
 * figure_write() - write ID.dat and ID.plot (settings for the template) into
 * FIGURES_DIR, with the estimates and marks of @course.
 *
 * All figures have data of one shape, a line for each point:
 *
 *	series x y low high "label"
 *
 * Two blank lines begin the next series (gnuplot: index).  Unknown numbers are
 * NaN; where y is, too, it is less than high.  Templates sort, place and draw.
 *
 * Return: 0; -ENODATA if there is nothing to draw; -errno.
 */
int figure_write(const struct figure *fig, const struct course *course);

#endif
