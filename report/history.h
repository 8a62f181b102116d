/* SPDX-License-Identifier: MIT */
#ifndef HISTORY_H
#define HISTORY_H

#include "change_points.h"
#include "load.h"
#include "table.h"

#define HISTORY_CHANGES 8 /* of one row */

/* One row over all runs: NAN where a run has no value. */
struct series {
	const struct result *row; /* of the first run that has it */
	double *values;
	double *core_hz; /* at which they ran; NAN: unknown */
	double *widths;	 /* half widths of their intervals, shares; or NAN */
	size_t n;	 /* how many have a value */
	struct change changes[HISTORY_CHANGES];
	size_t nchanges;
	bool by_frequency; /* one is of the times, not of the cycles */
	double within;	   /* median of the widths; NAN: none */
	double between;	   /* median step from run to run, a share; NAN: none */
};

/* Runs of one machine in order of time. */
struct history {
	struct run *runs;
	size_t nruns;
	struct series *v;
	size_t n;
	size_t least; /* runs, below which no change of a row can be told */
	struct notes notes;
};

/* history_load() - a directory that cannot be read is left out with a note.
 * Return: how many could be read. */
size_t history_load(struct history *h, size_t n, char *const *dirs);

/* The runs; and the rows: all, or those with a change. */
void history_runs(struct table *t, const struct history *h);
void history_rows(struct table *t, const struct history *h, bool all);

/* history_summary() - how many rows have changes. */
const char *history_summary(const struct history *h);

/* history_plot() - DIR/history.svg: small plots, rows with changes first.
 * Return: 0 or -errno. */
int history_plot(const struct history *h, const char *dir);

#endif
