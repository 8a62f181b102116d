/* SPDX-License-Identifier: MIT */
#ifndef ROW_H
#define ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "cpu_model.h"
#include "os_load.h"

/* When a reading was taken. */
struct stamp {
	uint64_t mono_ns, real_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */
};

/* The known figures of one CPU in one interval. */
struct row {
	struct stamp at;      /* the end of the interval */
	uint64_t since_ns;    /* the end, from the start of sampling */
	uint64_t interval_ns; /* its length */
	uint64_t late;	      /* deadlines that passed without a sample */
	int cpu;
	struct os_load os;
	struct counters_counts counts;
	double width[COUNTERS_PMUS]; /* NAN: unknown */
	double reference_hz;	     /* of reference cycles; 0: unknown */
};

/* The columns of an interval, or of all of them together; NAN is unknown. */
struct figures {
	struct os_load os;
	/* The paper's load: of what the core could have done in all cycles of
	 * the interval, as fast as it ran.  The share of the cycles in which it
	 * was not halted is that of the reference cycles, or where these are
	 * not known the load by the system. */
	double core_load_pct;
	/* The same of the cycles in which it was not halted. */
	double while_running_pct;
	double ipc;
	double counted_pct; /* least time that an event had a counter */
	double count[COUNTERS_EVENTS];
};

struct figures row_figures(const struct row *row);

/* row_has_event() - whether @event is a column: what only a task has is none.
 */
static inline bool row_has_event(int event)
{
	return event != COUNTERS_TASK_CLOCK;
}

/* row_write() - a line of CSV for a row, or with @names the names of the
 * columns
 * (@row is then any); what is unknown is an empty field. */
void row_write(FILE *f, bool names, const struct row *row);

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
	/* Sums of the intervals in which everything needed was known. */
	double ipc_instructions, ipc_cycles;
	double running_instructions, running_could;
	double core_s, core_busy_s;
};

/* Figures that belong to no single CPU. */
struct summary_run {
	double duration_s, interval_s;
	unsigned long samples, late;
};

/* summary_add() - @sum starts as zeros. */
void summary_add(struct summary *sum, const struct row *row);

/* summary_figures() - of all intervals; only load and resolution of what the
 * system counts. */
struct figures summary_figures(const struct summary *sum);

/* summary_print() - a table for people; of many CPUs only the busiest. */
void summary_print(FILE *f, const struct summary *sums, size_t n,
		   const struct summary_run *run);

/**
 * screen_draw() - the table of one sample, over the one before.
 * @head: lines that stand above it.
 *
 * It fits the terminal of standard output: where there are more CPUs than
 * lines, the busiest are shown.
 */
void screen_draw(FILE *f, const char *head, const struct row *rows, size_t n);

/* facts_text() - facts of all samples, a line each, as stand above the live
 * table: the CPU, its counters @c (NULL: there are none), the events that are
 * not counted and why.  free() it; NULL if there is no memory. */
char *facts_text(const struct cpu_model *model, const struct counters *c);

#endif
