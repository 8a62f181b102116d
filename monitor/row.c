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
static void put_text(FILE *f, enum row_style style, const char *name,
		     const char *text)
{
	if (style == ROW_JSON)
		fprintf(f, ", \"%s\": %s", name, text);
	else
		fprintf(f, ",%s", style == ROW_NAMES ? name : text);
}

static void put(FILE *f, enum row_style style, const char *name, int digits,
		double value)
{
	char text[64];

	if (isfinite(value))
		snprintf(text, sizeof(text), "%.*f", digits, value);
	else
		snprintf(text, sizeof(text), "%s",
			 style == ROW_JSON ? "null" : "");
	put_text(f, style, name, text);
}

void row_write(FILE *f, enum row_style style, const struct row *row)
{
	static const char *const begin[] = {
		[ROW_NAMES] = "time",
		[ROW_CSV] = "",
		[ROW_JSON] = "{\"type\": \"sample\", \"time\": \"",
	};
	const struct figures x = row_figures(row);
	const time_t seconds = (time_t)(row->at.real_ns / 1000000000u);
	char text[40];
	struct tm tm;

	fputs(begin[style], f);
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	if (style != ROW_NAMES) /* ISO 8601 in UTC, microseconds */
		fprintf(f, "%s.%06uZ%s", text,
			(unsigned int)(row->at.real_ns % 1000000000u / 1000),
			style == ROW_JSON ? "\"" : "");
	put(f, style, "t_s", 6, (double)row->since_ns / 1e9);
	put(f, style, "interval_s", 6, (double)row->interval_ns / 1e9);
	put(f, style, "late", 0, (double)row->late);
	put(f, style, "cpu", 0, row->cpu);
	snprintf(text, sizeof(text), style == ROW_JSON ? "\"%s\"" : "%s",
		 os_state_name(row->os.state));
	put_text(f, style, "state", text);
	put(f, style, "os_load_pct", 4, x.os.load_pct);
	put(f, style, "os_resolution_pct", 4, x.os.resolution_pct);
	put(f, style, "os_user_pct", 4, x.os.user_pct);
	put(f, style, "os_system_pct", 4, x.os.system_pct);
	put(f, style, "os_iowait_pct", 4, x.os.iowait_pct);
	put(f, style, "os_steal_pct", 4, x.os.steal_pct);
	put(f, style, "core_load_pct", 4, x.core_load_pct);
	put(f, style, "while_running_pct", 4, x.while_running_pct);
	put(f, style, "ipc", 4, x.ipc);
	put(f, style, "counted_pct", 4, x.counted_pct);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (row_has_event(e))
			put(f, style, counters_name((enum counters_event)e), 0,
			    x.count[e]);
	fputs(style == ROW_JSON ? "}\n" : "\n", f);
}
