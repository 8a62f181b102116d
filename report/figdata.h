/* SPDX-License-Identifier: MIT */
#ifndef FIGDATA_H
#define FIGDATA_H

#include <stdbool.h>
#include <stddef.h>

#include "figures.h"
#include "rowtable.h"

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

#endif
