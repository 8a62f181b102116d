// SPDX-License-Identifier: MIT
#include "summary.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void add_counts(struct summary *sum, const struct row *row)
{
	const struct counters_count *count = row->counts.count;
	const double interval_s = (double)row->interval_ns / 1e9;
	const double running_pct = row_while_running_pct(row);
	const double core_pct = row_core_load_pct(row);
	const double instructions = count[COUNTERS_INSTRUCTIONS].value;

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (count[e].known) {
			sum->count[e] += count[e].value;
			sum->counted_s[e] += interval_s;
		}
	if (isfinite(counters_ipc(&row->counts))) {
		sum->ipc_instructions += instructions;
		sum->ipc_cycles += count[COUNTERS_CYCLES].value;
	}
	/* Backwards from the load: only counters.h knows how to weigh cores of
	 * several kinds.  Nothing retired: the cycles of one kind tell. */
	if (isfinite(running_pct)) {
		sum->running_instructions += instructions;
		sum->running_could +=
			running_pct > 0
				? instructions * 100 / running_pct
				: count[COUNTERS_CYCLES].value * row->width[0];
	}
	if (isfinite(core_pct)) {
		sum->core_s += interval_s;
		sum->core_busy_s += core_pct / 100 * interval_s;
	}
}

void summary_add(struct summary *sum, const struct row *row)
{
	const double interval_s = (double)row->interval_ns / 1e9;
	const struct os_load *os = &row->os;

	sum->cpu = row->cpu;
	add_counts(sum, row);
	if (os->state != OS_OK) {
		sum->unknown_s += interval_s;
		return;
	}
	if (!(sum->os_s > 0)) {
		sum->least = os->load_pct;
		sum->most = os->load_pct;
	}
	sum->least = fmin(sum->least, os->load_pct);
	sum->most = fmax(sum->most, os->load_pct);
	sum->os_s += interval_s;
	sum->busy_s += os->load_pct / 100 * interval_s;
	/* What one interval cut off the next one shows: it does not add up. */
	sum->step_s = fmax(sum->step_s, os->resolution_pct / 100 * interval_s);
}

double summary_os_load_pct(const struct summary *sum)
{
	return sum->os_s > 0 ? 100 * sum->busy_s / sum->os_s : NAN;
}

double summary_os_resolution_pct(const struct summary *sum)
{
	return sum->os_s > 0 ? 100 * sum->step_s / sum->os_s : NAN;
}

double summary_ipc(const struct summary *sum)
{
	return sum->ipc_cycles > 0 ? sum->ipc_instructions / sum->ipc_cycles
				   : NAN;
}

double summary_core_load_pct(const struct summary *sum)
{
	return sum->core_s > 0 ? 100 * sum->core_busy_s / sum->core_s : NAN;
}

double summary_while_running_pct(const struct summary *sum)
{
	return sum->running_could > 0
		       ? 100 * sum->running_instructions / sum->running_could
		       : NAN;
}

/* More lines than this nobody reads at the end of a run. */
#define SHOWN_MAX 32

#define CELL_MAX 32

/* Sums of intervals are rounded. */
#define WHOLE 0.999999

static const char *cell(char text[CELL_MAX], const char *format, double value)
{
	if (!isfinite(value))
		return "unknown";
		/* The callers' formats are literals. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, CELL_MAX, format, value);
#pragma GCC diagnostic pop
	return text;
}

/* The load by the system, or that it is too little to be told. */
static const char *os_cell(char text[CELL_MAX], const struct summary *sum)
{
	const double load_pct = summary_os_load_pct(sum);
	const double resolution_pct = summary_os_resolution_pct(sum);

	/* Too short: it could be anything. */
	if (resolution_pct >= 100)
		return "unknown";
	if (isfinite(load_pct) && load_pct < resolution_pct)
		return cell(text, "< %.2g", resolution_pct);
	return cell(text, "%.2f", load_pct);
}

static double count_of(const struct summary *sum, enum counters_event event)
{
	return sum->counted_s[event] > 0 ? sum->count[event] : NAN;
}

/* Of how much of the time a sum is: not all, where counting began late, a
 * counter was lent to others, or the CPU was away. */
static bool is_part(const struct summary *sum, enum counters_event event)
{
	return sum->counted_s[event] > 0 &&
	       sum->counted_s[event] < WHOLE * (sum->os_s + sum->unknown_s);
}

static void print_line(FILE *f, const struct summary *sum)
{
	static const enum counters_event shown[] = {
		COUNTERS_INSTRUCTIONS,	   COUNTERS_CYCLES,
		COUNTERS_LLC_MISSES,	   COUNTERS_BRANCH_MISSES,
		COUNTERS_CONTEXT_SWITCHES,
	};
	char name[16], text[CELL_MAX];

	fprintf(f, "%7s %9.3f %9.3f %9s", row_cpu_name(name, sum->cpu),
		sum->os_s, sum->unknown_s, os_cell(text, sum));
	if (sum->os_s > 0)
		fprintf(f, " %7.2f %7.2f", sum->least, sum->most);
	else
		fprintf(f, " %7s %7s", "", "");
	fprintf(f, " %9s", cell(text, "%.2f", summary_core_load_pct(sum)));
	fprintf(f, " %9s", cell(text, "%.2f", summary_while_running_pct(sum)));
	fprintf(f, " %8s", cell(text, "%.3f", summary_ipc(sum)));
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		fprintf(f, " %12s",
			cell(text, is_part(sum, shown[i]) ? ">%.5g" : "%.5g",
			     count_of(sum, shown[i])));
	fputc('\n', f);
}

struct line {
	const struct summary *sum;
};

static int by_load(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	double p = summary_os_load_pct(x->sum), q = summary_os_load_pct(y->sum);

	p = isfinite(p) ? p : -1;
	q = isfinite(q) ? q : -1;
	return (p < q) - (p > q);
}

static void print_lines(FILE *f, const struct summary *sums, size_t n)
{
	struct line *order = calloc(n, sizeof(*order));

	if (!order)
		return;
	for (size_t i = 0; i < n; i++)
		order[i].sum = &sums[i];
	if (n > SHOWN_MAX)
		qsort(order, n, sizeof(*order), by_load);
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++)
		print_line(f, order[i].sum);
	if (n > SHOWN_MAX)
		fprintf(f, "(the %d busiest of %zu)\n", SHOWN_MAX, n);
	free(order);
}

void summary_print(FILE *f, const struct summary *sums, size_t n,
		   const struct summary_run *run)
{
	fprintf(f, "%.3f s, %lu samples at %g s, %lu deadlines missed",
		run->duration_s, run->samples, run->interval_s, run->late);
	if (run->clock_steps)
		fprintf(f, ", the clock was set %u times", run->clock_steps);
	fprintf(f,
		"\n%7s %9s %9s %9s %7s %7s %9s %9s %8s %12s %12s %12s %12s "
		"%12s\n",
		"cpu", "known,s", "unkn.,s", "system,%", "least", "most",
		"core,%", "running,%", "IPC", "instructions", "cycles",
		"LLC misses", "br. misses", "switches");
	print_lines(f, sums, n);
}

static void put_json(FILE *f, const char *name, double value)
{
	if (isfinite(value))
		fprintf(f, ", \"%s\": %.9g", name, value);
	else
		fprintf(f, ", \"%s\": null", name);
}

static void put_summary(FILE *f, const struct summary *sum)
{
	const bool known = sum->os_s > 0;
	char name[16];

	fprintf(f, sum->cpu < 0 ? "{\"cpu\": \"%s\"" : "{\"cpu\": %s",
		row_cpu_name(name, sum->cpu));
	put_json(f, "known_s", sum->os_s);
	put_json(f, "unknown_s", sum->unknown_s);
	put_json(f, "os_load_pct", summary_os_load_pct(sum));
	put_json(f, "os_resolution_pct", summary_os_resolution_pct(sum));
	put_json(f, "os_load_least_pct", known ? sum->least : NAN);
	put_json(f, "os_load_most_pct", known ? sum->most : NAN);
	put_json(f, "core_load_pct", summary_core_load_pct(sum));
	put_json(f, "while_running_pct", summary_while_running_pct(sum));
	put_json(f, "ipc", summary_ipc(sum));
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (e != COUNTERS_TASK_CLOCK)
			put_json(f, counters_name((enum counters_event)e),
				 count_of(sum, (enum counters_event)e));
	fputs(", \"counted_s\": {", f);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (e != COUNTERS_TASK_CLOCK)
			fprintf(f, "%s\"%s\": %.9g", e ? ", " : "",
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
		"\"clock_steps\": %u, \"cpus\": [",
		run->duration_s, run->interval_s, run->samples, run->late,
		run->clock_steps);
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputs(", ", f);
		put_summary(f, &sums[i]);
	}
	fputs("]}\n", f);
}
