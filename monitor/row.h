/* SPDX-License-Identifier: MIT */
#ifndef ROW_H
#define ROW_H

#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "os_load.h"

/* When a reading was taken. */
struct stamp {
	uint64_t mono_ns, real_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */
};

/* What is known of one CPU in one interval. */
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

/* One line for a row; what is unknown is an empty field, or null. */

/* write_csv_head() - the names of the columns. */
void write_csv_head(FILE *f);
void write_csv_row(FILE *f, const struct row *row);
void write_json_row(FILE *f, const struct row *row);

#endif
