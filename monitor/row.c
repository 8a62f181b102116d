// SPDX-License-Identifier: MIT
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static double core_load_pct(const struct row *row, double while_running_pct)
{
	const struct counters_count *count = row->counts.count;
	const struct counters_count *reference = &count[COUNTERS_REF_CYCLES];
	double share = NAN;

	if (reference->known && row->reference_hz > 0)
		share = reference->value /
			(row->reference_hz * (double)row->interval_ns * 1e-9);
	else if (row->os.state == OS_OK)
		share = row->os.load_pct / 100;
	if (count[COUNTERS_INSTRUCTIONS].known &&
	    count[COUNTERS_CYCLES].known && !(count[COUNTERS_CYCLES].value > 0))
		return 0; /* halted all the time */
	return share * while_running_pct;
}

struct figures row_figures(const struct row *row)
{
	struct figures x = {
		.os = row->os,
		.while_running_pct =
			counters_load_pct(&row->counts, row->width),
		.ipc = counters_ipc(&row->counts),
		.counted_pct = NAN,
	};

	x.core_load_pct = core_load_pct(row, x.while_running_pct);
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		const struct counters_count *count = &row->counts.count[e];

		x.count[e] = count->known ? count->value : NAN;
		if (count->known && e < COUNTERS_HARDWARE)
			x.counted_pct = fmin(x.counted_pct, 100 * count->share);
	}
	return x;
}

/* One column: its name, or what it holds. */
static void put_text(FILE *f, bool names, const char *name, const char *text)
{
	fprintf(f, ",%s", names ? name : text);
}

static void put(FILE *f, bool names, const char *name, int digits, double value)
{
	char text[64] = "";

	if (isfinite(value))
		snprintf(text, sizeof(text), "%.*f", digits, value);
	put_text(f, names, name, text);
}

void row_write(FILE *f, bool names, const struct row *row)
{
	const struct figures x = row_figures(row);
	const time_t seconds = (time_t)(row->at.real_ns / 1000000000u);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	if (names)
		fputs("time", f);
	else /* ISO 8601 in UTC, microseconds */
		fprintf(f, "%s.%06uZ", text,
			(unsigned int)(row->at.real_ns % 1000000000u / 1000));
	put(f, names, "t_s", 6, (double)row->since_ns / 1e9);
	put(f, names, "interval_s", 6, (double)row->interval_ns / 1e9);
	put(f, names, "late", 0, (double)row->late);
	put(f, names, "cpu", 0, row->cpu);
	put_text(f, names, "state", os_state_name(row->os.state));
	put(f, names, "os_load_pct", 4, x.os.load_pct);
	put(f, names, "os_resolution_pct", 4, x.os.resolution_pct);
	put(f, names, "core_load_pct", 4, x.core_load_pct);
	put(f, names, "while_running_pct", 4, x.while_running_pct);
	put(f, names, "ipc", 4, x.ipc);
	put(f, names, "counted_pct", 4, x.counted_pct);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (row_has_event(e))
			put(f, names, counters_name((enum counters_event)e), 0,
			    x.count[e]);
	fputc('\n', f);
}
