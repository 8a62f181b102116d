/* SPDX-License-Identifier: MIT */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>

#include "load.h"

struct card;
struct course;

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

#endif
