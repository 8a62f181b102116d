/* SPDX-License-Identifier: MIT */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stddef.h>
#include <stdio.h>

#include "row.h"

/* All intervals of one CPU together. */
struct summary {
	int cpu;
	double os_s;	    /* how long the system's load was known ... */
	double unknown_s;   /* ... and how long not */
	double busy_s;	    /* of os_s */
	double least, most; /* load of a single interval, percent */
	double step_s;	    /* resolution of the sum */
	/* Sums of the intervals in which each was known. */
	double count[COUNTERS_EVENTS];
	double counted_s[COUNTERS_EVENTS];
	/* Of the intervals in which all that is needed was known. */
	double ipc_instructions, ipc_cycles;
	double running_instructions, running_could;
	double core_s, core_busy_s;
};

/* What belongs to no single CPU. */
struct summary_run {
	double duration_s, interval_s;
	unsigned long samples, late;
	unsigned int clock_steps;
};

/* summary_add() - @sum starts as zeros. */
void summary_add(struct summary *sum, const struct row *row);

/* summary_figures() - of all intervals; only load and resolution of what the
 * system counts. */
struct figures summary_figures(const struct summary *sum);

/* summary_print() - a table for people; of many CPUs only the busiest. */
void summary_print(FILE *f, const struct summary *sums, size_t n,
		   const struct summary_run *run);

/* summary_json() - one line, {"type": "summary", ...}. */
void summary_json(FILE *f, const struct summary *sums, size_t n,
		  const struct summary_run *run);

/**
 * screen_draw() - the table of one sample, over the one before.
 * @head: lines that stand above it.
 *
 * It fits the terminal of standard output: where there are more CPUs than
 * lines, the busiest are shown.
 */
void screen_draw(FILE *f, const char *head, const struct row *rows, size_t n);

#endif
