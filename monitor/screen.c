// SPDX-License-Identifier: MIT
#include "screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Home, then erase to the end: no flicker of an empty screen. */
#define HOME	   "\033[H"
#define ERASE_LINE "\033[K\n"
#define ERASE_REST "\033[J"
/* A line that is too long is cut off, not wrapped into the next. */
#define WRAP_OFF "\033[?7l"
#define WRAP_ON	 "\033[?7h"

#define LINES_DEFAULT 24
#define BAR_WIDTH     20

static size_t terminal_lines(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return LINES_DEFAULT;
	return size.ws_row;
}

static void put_bar(FILE *f, double pct)
{
	const int full = isfinite(pct) ? (int)(pct / 100 * BAR_WIDTH + 0.5) : 0;

	fputs(" |", f);
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : isfinite(pct) ? ' ' : '.', f);
	fputc('|', f);
}

static void put_pct(FILE *f, double pct, double resolution_pct)
{
	char text[32] = "unknown";

	/* One step of the system's figures or less: it could be anything. */
	if (resolution_pct >= 100)
		pct = NAN;
	if (isfinite(pct) && pct < resolution_pct)
		snprintf(text, sizeof(text), "< %.2g", resolution_pct);
	else if (isfinite(pct))
		snprintf(text, sizeof(text), "%.1f", pct);
	fprintf(f, " %9s", text);
}

static void put_count(FILE *f, const struct row *row, enum counters_event event)
{
	const struct counters_count *count = &row->counts.count[event];

	if (count->known)
		fprintf(f, " %11.4g", count->value);
	else
		fprintf(f, " %11s", "unknown");
}

static void put_row(FILE *f, const struct row *row)
{
	const double core_pct = row_core_load_pct(row);
	const double ipc = counters_ipc(&row->counts);
	char name[16];

	fprintf(f, "%7s %9s", row_cpu_name(name, row->cpu),
		os_state_name(row->os.state));
	put_pct(f, row->os.load_pct, row->os.resolution_pct);
	put_bar(f, row->os.load_pct);
	put_pct(f, core_pct, 0);
	put_bar(f, core_pct);
	put_pct(f, row_while_running_pct(row), 0);
	if (isfinite(ipc))
		fprintf(f, " %7.3f", ipc);
	else
		fprintf(f, " %7s", "unknown");
	put_count(f, row, COUNTERS_INSTRUCTIONS);
	put_count(f, row, COUNTERS_LLC_MISSES);
	put_count(f, row, COUNTERS_BRANCH_MISSES);
	put_count(f, row, COUNTERS_CONTEXT_SWITCHES);
	fputs(ERASE_LINE, f);
}

struct line {
	const struct row *row;
};

static int by_load(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	double p = x->row->os.load_pct, q = y->row->os.load_pct;

	p = isfinite(p) ? p : -1;
	q = isfinite(q) ? q : -1;
	return (p < q) - (p > q);
}

static size_t put_head(FILE *f, const char *head)
{
	size_t lines = 0;

	while (*head) {
		const size_t n = strcspn(head, "\n");

		fprintf(f, "%.*s" ERASE_LINE, (int)n, head);
		head += n + (head[n] == '\n');
		lines++;
	}
	return lines;
}

void screen_draw(FILE *f, const char *head, const struct row *rows, size_t n)
{
	struct line *order = calloc(n + 1, sizeof(*order));
	const size_t lines = terminal_lines();
	size_t used, shown = n;
	const time_t now = (time_t)(rows->at.real_ns / 1000000000u);
	struct tm tm;

	if (!order)
		return;
	localtime_r(&now, &tm);
	fputs(WRAP_OFF HOME, f);
	used = put_head(f, head);
	fprintf(f,
		"%02d:%02d:%02d  %.3f s, interval %.3f s, late %llu" ERASE_LINE,
		tm.tm_hour, tm.tm_min, tm.tm_sec, (double)rows->since_ns / 1e9,
		(double)rows->interval_ns / 1e9,
		(unsigned long long)rows->late);
	fprintf(f,
		"%7s %9s %9s  %-21s %9s  %-21s %9s %7s %11s %11s %11s "
		"%11s" ERASE_LINE,
		"cpu", "state", "system,%", "", "core,%", "", "running,%",
		"IPC", "instr.", "LLC misses", "br. misses", "switches");
	/* The table's head, the note below it, and where the cursor waits. */
	used += 4;
	if (used + n > lines)
		shown = lines > used ? lines - used : 1;
	for (size_t i = 0; i < n; i++)
		order[i].row = &rows[i];
	if (shown < n)
		qsort(order, n, sizeof(*order), by_load);
	for (size_t i = 0; i < shown && order[i].row; i++)
		put_row(f, order[i].row);
	if (shown < n)
		fprintf(f, "(the %zu busiest of %zu)" ERASE_LINE, shown, n);
	fputs(ERASE_REST WRAP_ON, f);
	free(order);
}
