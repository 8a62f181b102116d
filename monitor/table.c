// SPDX-License-Identifier: MIT
/* Tables for people: of all intervals at the end, of each one on a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "row.h"

/* Home, then erase to the end: no flicker of an empty screen. */
#define HOME	   "\033[H"
#define ERASE_LINE "\033[K\n"
#define ERASE_REST "\033[J"
/* A line that is too long is cut off, not wrapped into the next. */
#define WRAP_OFF "\033[?7l"
#define WRAP_ON	 "\033[?7h"

#define LINES_DEFAULT 24
#define BAR_WIDTH     20

/* The most lines that are useful at the end of a run. */
#define SHOWN_MAX 32

/* Sums of intervals are rounded. */
#define WHOLE 0.999999

/* A line's figures: an interval with its state, or a sum of them. */
struct line {
	int cpu;
	const char *state; /* NULL: of a sum */
	const struct summary *sum;
	struct figures x;
};

/* A number in @width columns, with @digits behind the point, or as many that
 * count if that is below 0; @sign stands before it. */
static void put(FILE *f, int width, const char *sign, int digits, double value)
{
	char text[32] = "unknown";

	if (isfinite(value) && digits < 0)
		snprintf(text, sizeof(text), "%s%.*g", sign, -digits, value);
	else if (isfinite(value))
		snprintf(text, sizeof(text), "%s%.*f", sign, digits, value);
	fprintf(f, " %*s", width, text);
}

/* The load by the system, or that it is too little to detect.  One step of its
 * figures or less could be anything. */
static void put_os_load(FILE *f, int digits, const struct os_load *os)
{
	if (os->resolution_pct >= 100)
		put(f, 9, "", digits, NAN);
	else if (os->load_pct < os->resolution_pct)
		put(f, 9, "< ", -2, os->resolution_pct);
	else
		put(f, 9, "", digits, os->load_pct);
}

static void put_bar(FILE *f, double pct)
{
	const int full = isfinite(pct) ? (int)(pct / 100 * BAR_WIDTH + 0.5) : 0;

	fputs(" |", f);
	for (int i = 0; i < BAR_WIDTH; i++)
		fputc(i < full ? '#' : isfinite(pct) ? ' ' : '.', f);
	fputc('|', f);
}

/* Whether a sum covers only part of the time: counting began late, a counter
 * was lent to another user, or the CPU was away. */
static bool is_part(const struct summary *sum, enum counters_event event)
{
	return sum->counted_s[event] < WHOLE * (sum->os_s + sum->unknown_s);
}

static void put_line(FILE *f, const struct line *l)
{
	static const enum counters_event shown[] = {
		COUNTERS_INSTRUCTIONS,	   COUNTERS_CYCLES,
		COUNTERS_LLC_MISSES,	   COUNTERS_BRANCH_MISSES,
		COUNTERS_CONTEXT_SWITCHES,
	};
	const struct summary *sum = l->sum;

	if (sum)
		fprintf(f, "%7d %9.3f %9.3f", l->cpu, sum->os_s,
			sum->unknown_s);
	else
		fprintf(f, "%7d %9s", l->cpu, l->state);
	put_os_load(f, sum ? 2 : 1, &l->x.os);
	if (!sum)
		put_bar(f, l->x.os.load_pct);
	else if (sum->os_s > 0)
		fprintf(f, " %7.2f %7.2f", sum->least, sum->most);
	else
		fprintf(f, " %7s %7s", "", "");
	put(f, 9, "", sum ? 2 : 1, l->x.core_load_pct);
	if (!sum)
		put_bar(f, l->x.core_load_pct);
	put(f, 9, "", sum ? 2 : 1, l->x.while_running_pct);
	put(f, 8, "", 3, l->x.ipc);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		put(f, 12, sum && is_part(sum, shown[i]) ? ">" : "", -5,
		    l->x.count[shown[i]]);
}

static int by_load(const void *a, const void *b)
{
	const double x = ((const struct line *)a)->x.os.load_pct;
	const double y = ((const struct line *)b)->x.os.load_pct;

	/* Unknown comes last. */
	if (!isfinite(x) || !isfinite(y))
		return !isfinite(x) - !isfinite(y);
	return (x < y) - (x > y);
}

/* All @n lines, or the @most busiest, and free them. */
static void put_lines(FILE *f, struct line *lines, size_t n, size_t most)
{
	const char *end = lines->sum ? "\n" : ERASE_LINE;

	if (n > most)
		qsort(lines, n, sizeof(*lines), by_load);
	for (size_t i = 0; i < n && i < most; i++) {
		put_line(f, &lines[i]);
		fputs(end, f);
	}
	if (n > most)
		fprintf(f, "(the %zu busiest of %zu)%s", most, n, end);
	free(lines);
}

void summary_print(FILE *f, const struct summary *sums, size_t n,
		   const struct summary_run *run)
{
	struct line *lines = text_alloc(n, sizeof(*lines));

	fprintf(f, "%.3f s, %lu samples at %g s, %lu deadlines missed\n",
		run->duration_s, run->samples, run->interval_s, run->late);
	fprintf(f,
		"%7s %9s %9s %9s %7s %7s %9s %9s %8s %12s %12s %12s %12s "
		"%12s\n",
		"cpu", "known,s", "unkn.,s", "system,%", "least", "most",
		"core,%", "running,%", "IPC", "instructions", "cycles",
		"LLC misses", "br. misses", "switches");
	for (size_t i = 0; i < n; i++)
		lines[i] = (struct line) { .cpu = sums[i].cpu,
					   .sum = &sums[i],
					   .x = summary_figures(&sums[i]) };
	put_lines(f, lines, n, SHOWN_MAX);
}

static size_t terminal_lines(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return LINES_DEFAULT;
	return size.ws_row;
}

void screen_draw(FILE *f, const char *head, const struct row *rows, size_t n)
{
	struct line *lines = text_alloc(n, sizeof(*lines));
	const size_t space = terminal_lines();
	const time_t now = (time_t)(rows->at.real_ns / 1000000000u);
	/* The table's head, the note below it, and where the cursor waits. */
	size_t used = 4;
	struct tm tm;

	localtime_r(&now, &tm);
	fputs(WRAP_OFF HOME, f);
	for (; *head; used++) {
		const size_t len = strcspn(head, "\n");

		fprintf(f, "%.*s" ERASE_LINE, (int)len, head);
		head += len + (head[len] == '\n');
	}
	fprintf(f,
		"%02d:%02d:%02d  %.3f s, interval %.3f s, late %llu" ERASE_LINE,
		tm.tm_hour, tm.tm_min, tm.tm_sec, (double)rows->since_ns / 1e9,
		(double)rows->interval_ns / 1e9,
		(unsigned long long)rows->late);
	fprintf(f,
		"%7s %9s %9s  %-21s %9s  %-21s %9s %8s %12s %12s %12s %12s "
		"%12s" ERASE_LINE,
		"cpu", "state", "system,%", "", "core,%", "", "running,%",
		"IPC", "instructions", "cycles", "LLC misses", "br. misses",
		"switches");
	for (size_t i = 0; i < n; i++)
		lines[i] = (struct line) { .cpu = rows[i].cpu,
					   .state = os_state_name(
						   rows[i].os.state),
					   .x = row_figures(&rows[i]) };
	put_lines(f, lines, n, space > used ? space - used : 1);
	fputs(ERASE_REST WRAP_ON, f);
}
