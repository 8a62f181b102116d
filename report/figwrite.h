/* SPDX-License-Identifier: MIT */
#ifndef FIGWRITE_H
#define FIGWRITE_H

#include <stdio.h>

#include "figdata.h"

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
