/* SPDX-License-Identifier: MIT */
#ifndef ROW_H
#define ROW_H

#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "os_load.h"

/* Instead of the number of a CPU. */
enum row_cpu { ROW_PROCESS = -1, ROW_CGROUP = -2 };

/* When a reading was taken. */
struct stamp {
	uint64_t mono_ns, real_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */
};

/* What is known of one CPU (process, cgroup) in one interval. */
struct row {
	struct stamp at;      /* the end of the interval */
	uint64_t since_ns;    /* the end, from the start of sampling */
	uint64_t interval_ns; /* its length */
	uint64_t late;	      /* deadlines that passed without a sample */
	int cpu;	      /* or enum row_cpu */
	struct os_load os;
	struct counters_counts counts;
	double width[COUNTERS_PMUS]; /* NAN: unknown */
	double reference_hz;	     /* of reference cycles; 0: unknown */
};

/* row_while_running_pct() - what the core did of what it could have done in the
 * cycles in which it was not halted; NAN if unknown. */
double row_while_running_pct(const struct row *row);

/* row_core_load_pct() - the paper's load: of what it could have done in all
 * cycles of the interval, as fast as it ran; NAN if unknown.  The share of the
 * cycles in which it was not halted is that of the reference cycles, or where
 * these are not known the load by the system. */
double row_core_load_pct(const struct row *row);

/* row_share_pct() - the least time that an event had a counter, in percent of
 * the interval; NAN if no hardware event is known. */
double row_share_pct(const struct row *row);

/* row_cpu_name() - "0", "process", "cgroup".  @buf: 16 bytes. */
const char *row_cpu_name(char buf[16], int cpu);

/* One line for a row; what is unknown is an empty field, or null. */

/* write_csv_head() - the names of the columns. */
void write_csv_head(FILE *f);
void write_csv_row(FILE *f, const struct row *row);
void write_json_row(FILE *f, const struct row *row);

#endif
