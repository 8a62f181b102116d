// SPDX-License-Identifier: MIT
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define TIME_MAX 40

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

/* How a column is written: its name, digits behind the point, value. */
typedef void column_fn(FILE *f, const char *name, int digits, double value);

static void put_name(FILE *f, const char *name, int digits, double value)
{
	fprintf(f, ",%s", name);
}

static void put_csv(FILE *f, const char *name, int digits, double value)
{
	fputc(',', f);
	if (isfinite(value))
		fprintf(f, "%.*f", digits, value);
}

static void put_json(FILE *f, const char *name, int digits, double value)
{
	fprintf(f, ", \"%s\": ", name);
	if (isfinite(value))
		fprintf(f, "%.*f", digits, value);
	else
		fputs("null", f);
}

static void put_times(FILE *f, column_fn *put, const struct row *row)
{
	put(f, "t_s", 6, (double)row->since_ns / 1e9);
	put(f, "interval_s", 6, (double)row->interval_ns / 1e9);
	put(f, "late", 0, (double)row->late);
}

static void put_figures(FILE *f, column_fn *put, const struct figures *x)
{
	put(f, "os_load_pct", 4, x->os.load_pct);
	put(f, "os_resolution_pct", 4, x->os.resolution_pct);
	put(f, "os_user_pct", 4, x->os.user_pct);
	put(f, "os_system_pct", 4, x->os.system_pct);
	put(f, "os_iowait_pct", 4, x->os.iowait_pct);
	put(f, "os_steal_pct", 4, x->os.steal_pct);
	put(f, "core_load_pct", 4, x->core_load_pct);
	put(f, "while_running_pct", 4, x->while_running_pct);
	put(f, "ipc", 4, x->ipc);
	put(f, "counted_pct", 4, x->counted_pct);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (row_has_event(e))
			put(f, counters_name((enum counters_event)e), 0,
			    x->count[e]);
}

/* ISO 8601 in UTC, microseconds. */
static const char *time_text(char text[TIME_MAX], uint64_t real_ns)
{
	const time_t seconds = (time_t)(real_ns / 1000000000u);
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(text, TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, TIME_MAX - n, ".%06uZ",
		 (unsigned int)(real_ns % 1000000000u / 1000));
	return text;
}

void write_csv_head(FILE *f)
{
	fputs("time", f);
	put_times(f, put_name, &(struct row) { 0 });
	fputs(",cpu,state", f);
	put_figures(f, put_name, &(struct figures) { 0 });
	fputc('\n', f);
}

void write_csv_row(FILE *f, const struct row *row)
{
	const struct figures x = row_figures(row);
	char time[TIME_MAX];

	fputs(time_text(time, row->at.real_ns), f);
	put_times(f, put_csv, row);
	fprintf(f, ",%d,%s", row->cpu, os_state_name(row->os.state));
	put_figures(f, put_csv, &x);
	fputc('\n', f);
}

void write_json_row(FILE *f, const struct row *row)
{
	const struct figures x = row_figures(row);
	char time[TIME_MAX];

	fprintf(f, "{\"type\": \"sample\", \"time\": \"%s\"",
		time_text(time, row->at.real_ns));
	put_times(f, put_json, row);
	fprintf(f, ", \"cpu\": %d, \"state\": \"%s\"", row->cpu,
		os_state_name(row->os.state));
	put_figures(f, put_json, &x);
	fputs("}\n", f);
}
