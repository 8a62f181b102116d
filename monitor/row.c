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

/* With @digits behind the point, or as many that count if that is below 0. */
static void put(FILE *f, enum row_style style, const char *name, int digits,
		double value)
{
	char text[64];

	if (isfinite(value) && digits < 0)
		snprintf(text, sizeof(text), "%.*g", -digits, value);
	else if (isfinite(value))
		snprintf(text, sizeof(text), "%.*f", digits, value);
	else
		snprintf(text, sizeof(text), "%s",
			 style == ROW_JSON ? "null" : "");
	put_text(f, style, name, text);
}

static void put_counts(FILE *f, enum row_style style, int digits,
		       const double *count)
{
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (row_has_event(e))
			put(f, style, counters_name((enum counters_event)e),
			    digits, count[e]);
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
	put(f, style, "core_load_pct", 4, x.core_load_pct);
	put(f, style, "while_running_pct", 4, x.while_running_pct);
	put(f, style, "ipc", 4, x.ipc);
	put(f, style, "counted_pct", 4, x.counted_pct);
	put_counts(f, style, 0, x.count);
	fputs(style == ROW_JSON ? "}\n" : "\n", f);
}

static void put_summary(FILE *f, const struct summary *sum)
{
	const struct figures x = summary_figures(sum);
	const struct {
		const char *name;
		double value;
	} columns[] = {
		{ "known_s", sum->os_s },
		{ "unknown_s", sum->unknown_s },
		{ "os_load_pct", x.os.load_pct },
		{ "os_resolution_pct", x.os.resolution_pct },
		{ "os_load_least_pct", sum->os_s > 0 ? sum->least : NAN },
		{ "os_load_most_pct", sum->os_s > 0 ? sum->most : NAN },
		{ "core_load_pct", x.core_load_pct },
		{ "while_running_pct", x.while_running_pct },
		{ "ipc", x.ipc },
	};

	fprintf(f, "{\"cpu\": %d", sum->cpu);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put(f, ROW_JSON, columns[i].name, -9, columns[i].value);
	put_counts(f, ROW_JSON, -9, x.count);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (row_has_event(e))
			fprintf(f, "%s\"%s\": %.9g",
				e ? ", " : ", \"counted_s\": {",
				counters_name((enum counters_event)e),
				sum->counted_s[e]);
	fputs("}}", f);
}

void summary_json(FILE *f, const struct summary *sums, size_t n,
		  const struct summary_run *run)
{
	fprintf(f,
		"{\"type\": \"summary\", \"duration_s\": %.6f, "
		"\"interval_s\": %.9g, \"samples\": %lu, \"late\": %lu, "
		"\"cpus\": [",
		run->duration_s, run->interval_s, run->samples, run->late);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(", ", f);
		put_summary(f, &sums[i]);
	}
	fputs("]}\n", f);
}
