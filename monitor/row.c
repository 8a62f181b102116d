// SPDX-License-Identifier: MIT
#include "row.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define TIME_MAX 40

double row_while_running_pct(const struct row *row)
{
	return counters_load_pct(&row->counts, row->width);
}

double row_core_load_pct(const struct row *row)
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
	return share * row_while_running_pct(row);
}

double row_share_pct(const struct row *row)
{
	double least = NAN;

	for (int e = 0; e < COUNTERS_HARDWARE; e++)
		if (row->counts.count[e].known)
			least = fmin(least, row->counts.count[e].share);
	return 100 * least;
}

const char *row_cpu_name(char buf[16], int cpu)
{
	if (cpu == ROW_PROCESS)
		return "process";
	if (cpu == ROW_CGROUP)
		return "cgroup";
	snprintf(buf, 16, "%d", cpu);
	return buf;
}

/* How a column is written. */
enum form { PCT, RATIO, SECONDS, COUNT };

struct column {
	const char *name;
	enum form form;
	double (*value)(const struct row *row);
};

static double since(const struct row *row)
{
	return (double)row->since_ns / 1e9;
}

static double interval(const struct row *row)
{
	return (double)row->interval_ns / 1e9;
}

static double late(const struct row *row)
{
	return (double)row->late;
}

#define OS_COLUMN(name)                                \
	static double os_##name(const struct row *row) \
	{                                              \
		return row->os.name##_pct;             \
	}

OS_COLUMN(load)
OS_COLUMN(resolution)
OS_COLUMN(user)
OS_COLUMN(system)
OS_COLUMN(iowait)
OS_COLUMN(steal)

static double ipc(const struct row *row)
{
	return counters_ipc(&row->counts);
}

static const struct column before[] = {
	{ "t_s", SECONDS, since },
	{ "interval_s", SECONDS, interval },
	{ "late", COUNT, late },
	{ NULL, PCT, NULL },
};

static const struct column after[] = {
	{ "os_load_pct", PCT, os_load },
	{ "os_resolution_pct", PCT, os_resolution },
	{ "os_user_pct", PCT, os_user },
	{ "os_system_pct", PCT, os_system },
	{ "os_iowait_pct", PCT, os_iowait },
	{ "os_steal_pct", PCT, os_steal },
	{ "core_load_pct", PCT, row_core_load_pct },
	{ "while_running_pct", PCT, row_while_running_pct },
	{ "ipc", RATIO, ipc },
	{ "counted_pct", PCT, row_share_pct },
	{ NULL, PCT, NULL },
};

/* Everything that is counted, but for what only a task can have. */
static const enum counters_event events[] = {
	COUNTERS_INSTRUCTIONS,	   COUNTERS_CYCLES,
	COUNTERS_REF_CYCLES,	   COUNTERS_LLC_REFERENCES,
	COUNTERS_LLC_MISSES,	   COUNTERS_BRANCHES,
	COUNTERS_BRANCH_MISSES,	   COUNTERS_PAGE_FAULTS,
	COUNTERS_CONTEXT_SWITCHES, COUNTERS_MIGRATIONS,
};

#define N_EVENTS (sizeof(events) / sizeof(events[0]))

static void put_value(FILE *f, enum form form, double value,
		      const char *unknown)
{
	static const int digits[] = {
		[PCT] = 4,
		[RATIO] = 4,
		[SECONDS] = 6,
		[COUNT] = 0,
	};

	if (isfinite(value))
		fprintf(f, "%.*f", digits[form], value);
	else
		fputs(unknown, f);
}

static double event_value(const struct row *row, enum counters_event event)
{
	const struct counters_count *count = &row->counts.count[event];

	return count->known ? count->value : NAN;
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
	for (const struct column *c = before; c->name; c++)
		fprintf(f, ",%s", c->name);
	fputs(",cpu,state", f);
	for (const struct column *c = after; c->name; c++)
		fprintf(f, ",%s", c->name);
	for (size_t i = 0; i < N_EVENTS; i++)
		fprintf(f, ",%s", counters_name(events[i]));
	fputc('\n', f);
}

void write_csv_row(FILE *f, const struct row *row)
{
	char time[TIME_MAX], cpu[16];

	fputs(time_text(time, row->at.real_ns), f);
	for (const struct column *c = before; c->name; c++) {
		fputc(',', f);
		put_value(f, c->form, c->value(row), "");
	}
	fprintf(f, ",%s,%s", row_cpu_name(cpu, row->cpu),
		os_state_name(row->os.state));
	for (const struct column *c = after; c->name; c++) {
		fputc(',', f);
		put_value(f, c->form, c->value(row), "");
	}
	for (size_t i = 0; i < N_EVENTS; i++) {
		fputc(',', f);
		put_value(f, COUNT, event_value(row, events[i]), "");
	}
	fputc('\n', f);
}

static void put_json(FILE *f, const char *name, enum form form, double value)
{
	fprintf(f, ", \"%s\": ", name);
	put_value(f, form, value, "null");
}

void write_json_row(FILE *f, const struct row *row)
{
	char time[TIME_MAX], cpu[16];

	fprintf(f, "{\"type\": \"sample\", \"time\": \"%s\"",
		time_text(time, row->at.real_ns));
	for (const struct column *c = before; c->name; c++)
		put_json(f, c->name, c->form, c->value(row));
	fprintf(f, row->cpu < 0 ? ", \"cpu\": \"%s\"" : ", \"cpu\": %s",
		row_cpu_name(cpu, row->cpu));
	fprintf(f, ", \"state\": \"%s\"", os_state_name(row->os.state));
	for (const struct column *c = after; c->name; c++)
		put_json(f, c->name, c->form, c->value(row));
	for (size_t i = 0; i < N_EVENTS; i++)
		put_json(f, counters_name(events[i]), COUNT,
			 event_value(row, events[i]));
	fputs("}\n", f);
}
