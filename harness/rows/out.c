/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "grade.h"
#include "units.h"

/* A column of a table. */
struct column {
	const char *heading;
	void (*put)(FILE *f, const struct result *r, const struct column *c);
	size_t member;	  /* its offset */
	const char *unit; /* of it, NULL: the row's; or a key of "counters" */
	bool remark;	  /* it stands behind the others, or below */
	bool wide;	  /* not in 80 columns */
};

/* A value that is not known is empty. */
static void put_amount(FILE *f, double x, const char *unit)
{
	char text[UNITS_MAX];

	if (isfinite(x))
		fputs(units_format(text, x, unit), f);
}

static void put_number(FILE *f, const struct result *r, const struct column *c)
{
	const double *x = (const void *)((const char *)r + c->member);

	if (r->status == RESULT_OK)
		put_amount(f, *x, c->unit ? c->unit : r->unit);
}

/* For batches it would say nothing about operations. */
static void put_event(FILE *f, const struct result *r, const struct column *c)
{
	if (r->iters == 1 && r->samples)
		put_number(f, r, c);
}

static void put_word(FILE *f, const struct result *r, const struct column *c)
{
	const char *word = *(char *const *)((const char *)r + c->member);

	if (word)
		fputs(*word ? word : "-", f);
}

static void put_count(FILE *f, const struct result *r, const struct column *c)
{
	const uint64_t *n = (const void *)((const char *)r + c->member);

	if (*n)
		fprintf(f, "%" PRIu64, *n);
}

static void put_value(FILE *f, const struct result *r, const struct column *c)
{
	char both[STATES_MAX];

	if (r->status == RESULT_OK && states_text(both, r))
		fputs(both, f);
	else if (r->status == RESULT_OK)
		put_amount(f, r->value, r->unit);
	else if (r->status != RESULT_BELOW_RESOLUTION)
		fputs(result_status_name(r->status), f);
	else /* Of a rate there is none: the remark says what it was. */
		fputs(isfinite(r->resolution) ? "< " : "unstable", f);
	if (r->status == RESULT_BELOW_RESOLUTION)
		put_amount(f, r->resolution, r->unit);
}

static void put_interval(FILE *f, const struct result *r,
			 const struct column *c)
{
	char lo[UNITS_MAX], hi[UNITS_MAX];
	const char *shown;
	double per;

	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]))
		return;
	per = units_scale(r->value, r->unit, &shown);
	fprintf(f, "%s..%s", units_number(lo, r->ci95[0] / per),
		units_number(hi, r->ci95[1] / per));
	if (shown && strcmp(shown, "1") != 0)
		fprintf(f, " %s", shown);
}

static void put_evidence(FILE *f, const struct result *r,
			 const struct column *c)
{
	const char *key, *sep = "";
	char a[UNITS_MAX], b[UNITS_MAX];
	double x, y;
	json_t *v;

	json_object_foreach(r->evidence, key, v)
	{
		const char *text = json_string_value(v);

		if (!json_unpack(v, "{s:F,s:F}", "seen", &x, "expected", &y))
			fprintf(f, "%s%s %.0f/%.0f", sep, key, x, y);
		else if (text || json_is_number(v))
			fprintf(f, "%s%s %s", sep, key,
				text ? text
				     : units_number(a, json_number_value(v)));
		else if (!json_unpack(v, "[FF!]", &x, &y))
			fprintf(f, "%s%s %s..%s", sep, key, units_number(a, x),
				units_number(b, y));
		else
			continue;
		sep = ", ";
	}
}

/* "2 visits set aside: bytes_from_cache" */
static void put_aside(FILE *f, const struct result *r, const char *sep)
{
	static const char *const kinds[] = { "visits", "invocations" };
	const char *key, *and = sep;
	json_t *seen;

	if (!json_is_object(r->set_aside))
		return;
	for (int i = 0; i < 2; i++) {
		json_int_t n = json_integer_value(
			json_object_get(r->set_aside, kinds[i]));

		if (n)
			fprintf(f, "%s%" JSON_INTEGER_FORMAT " %.*s", and, n,
				(int)strlen(kinds[i]) - (n == 1), kinds[i]);
		and = n ? " and " : and;
	}
	fputs(" set aside", f);
	sep = ": ";
	json_object_foreach(json_object_get(r->set_aside, "reasons"), key, seen)
	{
		fprintf(f, "%s%s", sep, key);
		sep = ", ";
	}
}

/* What the columns do not say. */
static void put_remark(FILE *f, const struct result *r, const struct column *c)
{
	const char *why = r->reason ? r->reason : "no reason was given";
	const char *sep = r->status != RESULT_OK || r->states ? "; " : "";
	bool below = r->status == RESULT_BELOW_RESOLUTION;
	char text[UNITS_MAX], *doubt = grade_doubt(r);

	/* The value says already what it is less than, or "unstable". */
	if (below && (*why == '<' || !strncmp(why, "unstable", 8)) &&
	    strstr(why, ": "))
		why = strstr(why, ": ") + 2;
	if (r->status != RESULT_OK)
		fprintf(f, "%s%s",
			below && isfinite(r->resolution) ? "below resolution: "
							 : "",
			why);
	if (r->states)
		fputs("the process runs fall in two groups: both levels, with "
		      "their shares",
		      f);
	if (r->status == RESULT_OK && isfinite(r->expected)) {
		fprintf(f, "%strue %s", sep,
			units_format(text, r->expected, r->unit));
		if (r->expected != 0)
			fprintf(f, ", error %s",
				units_error(text, r->value / r->expected - 1));
		sep = "; ";
	}
	if (doubt)
		fprintf(f, "%s%s", sep, doubt);
	put_aside(f, r, doubt ? "; " : sep);
	free(doubt);
}

/* A key of the object "counters". */
static void put_counted(FILE *f, const struct result *r, const struct column *c)
{
	const json_t *v = json_object_get(r->counters, c->unit);

	if (json_is_integer(v))
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		put_amount(f, json_real_value(v), NULL);
}

#define OF(of) .member = offsetof(struct result, of)
#define CELL(name, how, ...)                             \
	{                                                \
		.heading = name, .put = how, __VA_ARGS__ \
	}
#define WIDE(name, how, ...) CELL(name, how, .wide = true, __VA_ARGS__)
#define COUNTED(name, key)   CELL(name, put_counted, .unit = key)
#define MORE(name, key)	     WIDE(name, put_counted, .unit = key)

static const struct column of_rows[] = {
	CELL("case", put_word, OF(name)),
	CELL("value", put_value),
	CELL("95 % interval", put_interval),
	WIDE("min", put_number, OF(min)),
	WIDE("mean", put_number, OF(mean)),
	WIDE("std dev", put_number, OF(stddev)),
	WIDE("p50", put_event, OF(p50)),
	WIDE("p90", put_event, OF(p90)),
	WIDE("p99", put_event, OF(p99)),
	WIDE("max", put_event, OF(max)),
	WIDE("cold", put_number, OF(cold)),
	WIDE("ticks", put_number, OF(ticks), .unit = "1"),
	WIDE("cycles", put_number, OF(cycles), .unit = "1"),
	WIDE("distance", put_number, OF(distance_ns), .unit = "ns"),
	WIDE("n", put_count, OF(n)),
	WIDE("samples", put_count, OF(samples)),
	CELL("grade", put_word, OF(grade)),
	WIDE("evidence", put_evidence, .remark = true),
	CELL("remark", put_remark, .remark = true),
	{ 0 },
};

static const struct column of_counters[] = {
	CELL("of one operation", put_word, OF(name)),
	COUNTED("instructions", "instructions"),
	COUNTED("cycles", "cycles"),
	COUNTED("IPC", "ipc"),
	COUNTED("LLC misses", "llc_misses"),
	COUNTED("faults", "page_faults"),
	MORE("branch misses", "branch_misses"),
	MORE("switches", "context_switches"),
	MORE("CPU ns", "task_clock_ns"),
	MORE("intervals", "intervals"),
	{ 0 },
};

/* Tables for a terminal, lined up by characters. */

#define LINE	 80 /* columns of a terminal */
#define GAP	 2  /* blanks between columns */
#define MOST	 32 /* columns of a table */
#define ANY_LINE SIZE_MAX

/* Cells row by row, the first row is the heading; none is NULL. */
struct grid {
	const struct column *columns[MOST];
	size_t rows, n; /* of columns */
	char **cell;
	size_t line; /* columns that one may have */
};

static char **row_of(const struct grid *g, size_t row)
{
	return &g->cell[row * g->n];
}

/* @text in lines that end at column @end and begin behind @at blanks, further
 * ones behind @indent.  Return: columns of the last, which no line feed ends.
 */
static size_t put_lines(FILE *f, const char *text, size_t end, size_t at,
			size_t indent)
{
	struct wrap w = { .rest = text };

	while (wrap_line(&w, end - at)) {
		fprintf(f, "%*s%.*s", (int)at, "", (int)w.len, w.line);
		if (!w.rest[strspn(w.rest, " ")])
			return at + units_width(w.line);
		fputc('\n', f);
		at = indent;
	}
	return 0;
}

/* Line feeds become blanks: where lines end is decided here. */
static char *flat(char *text)
{
	for (char *feed = text; (feed = strchr(feed, '\n'));)
		*feed = ' ';
	return text;
}

/* A line of its own; the second and further ones behind GAP blanks. */
__attribute__((format(printf, 2, 3))) static void put_text(FILE *f,
							   const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		put_lines(f, flat(text), LINE, 0, GAP);
		fputc('\n', f);
		free(text);
	}
	va_end(ap);
}

/* Behind the row if it fits there, else below it. */
static void put_behind(FILE *f, const char *remark, size_t used, size_t line)
{
	if (used + GAP + units_width(remark) <= line) {
		fprintf(f, "%*s%s", GAP, "", remark);
		return;
	}
	fputc('\n', f);
	put_lines(f, remark, line, (size_t)2 * GAP, (size_t)2 * GAP);
}

static void put_row(FILE *f, const struct grid *g, size_t row,
		    const size_t *width)
{
	char **cells = row_of(g, row);
	size_t used = put_lines(f, *cells, *width, 0, GAP);
	size_t owed = *width ? *width - used + GAP : 0;

	for (size_t k = 1; k < g->n; k++) {
		const size_t own = units_width(cells[k]);

		if (g->columns[k]->remark && own)
			put_behind(f, cells[k], used, g->line);
		if (g->columns[k]->remark || !width[k])
			continue;
		/* Blanks at the end of the line stay owed. */
		owed += width[k] - own;
		if (own) {
			fprintf(f, "%*s%s", (int)owed, "", cells[k]);
			used += owed + own;
			owed = 0;
		}
		owed += GAP;
	}
	fputc('\n', f);
}

/* Whether @name has the @len bytes at @term as one of its terms. */
static bool has_term(const char *name, const char *term, size_t len)
{
	while (*name) {
		size_t n = strcspn(name, ",");

		if (n == len && !strncmp(name, term, len))
			return true;
		name += n + (name[n] == ',');
	}
	return false;
}

/* Remove the terms of @name that @of has (or has not). */
static void drop_terms(char *name, const char *of, bool has)
{
	const char *term = name;
	char *end = name;

	for (size_t n; *term; term += n + (term[n] == ',')) {
		n = strcspn(term, ",");
		if (has_term(of, term, n) == has)
			continue;
		if (end != name)
			*end++ = ',';
		memmove(end, term, n);
		end += n;
	}
	*end = '\0';
}

/* Terms that all names have go into a line above the table; not if a name is
 * nothing but these. */
static void hoist(FILE *f, const struct grid *g)
{
	char *shared = text_format("%s", g->rows > 2 ? *row_of(g, 1) : "");
	bool whole = false;

	for (size_t i = 2; i < g->rows; i++)
		drop_terms(shared, *row_of(g, i), false);
	for (size_t i = 1; i < g->rows; i++)
		whole |= !*shared || strlen(*row_of(g, i)) == strlen(shared);
	for (size_t i = 1; !whole && i < g->rows; i++)
		drop_terms(*row_of(g, i), shared, true);
	if (!whole) {
		put_text(f, "in all cases: %s", shared);
		fputc('\n', f);
	}
	free(shared);
}

/* The widest cell of column @k, 0 if only its heading has content. */
static size_t widest(const struct grid *g, size_t k)
{
	size_t most = 0, below = 0;

	for (size_t i = g->rows; i--;) {
		const size_t w = units_width(row_of(g, i)[k]);

		below = most;
		most = w > most ? w : most;
	}
	return below ? most : 0;
}

/* Columns without any content below their heading are left out, remarks stand
 * behind their rows or below.  A first column that is too long for the line
 * loses the terms that all rows have, which are written above, and is folded
 * behind commas.  The cells are freed. */
static void put_grid(FILE *f, struct grid *g)
{
	size_t width[MOST] = { 0 }, room = g->line;

	for (size_t k = 0; k < g->n; k++) {
		width[k] = widest(g, k);
		if (!width[k])
			*row_of(g, 0)[k] = '\0';
		if (k && width[k] && !g->columns[k]->remark)
			room -= GAP + width[k];
	}
	if (width[0] > room) {
		hoist(f, g);
		width[0] = widest(g, 0);
	}
	if (width[0] > room)
		width[0] = room;
	for (size_t i = 0; i < g->rows; i++)
		put_row(f, g, i, width);
	for (size_t i = 0; i < g->rows * g->n; i++)
		free(g->cell[i]);
	free(g->cell);
}

static char *cell(const struct result *r, const struct column *c)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		c->put(f, r, c);
		fclose(f);
	}
	if (!text)
		return text_format("%s", "");
	return flat(text);
}

/* The columns of @table of the @n @rows, or of those that were counted. */
static void put_table(FILE *f, const struct result *rows, size_t n,
		      const struct column *table, bool wide)
{
	struct grid g = { .line = wide ? ANY_LINE : LINE };

	for (const struct column *c = table; c->heading; c++)
		if (wide || !c->wide)
			g.columns[g.n++] = c;
	g.cell = text_alloc((n + 1) * g.n, sizeof(char *));
	for (size_t k = 0; k < g.n; k++)
		g.cell[k] = text_format("%s", g.columns[k]->heading);
	g.rows = 1;
	for (size_t i = 0; i < n; i++) {
		if (table == of_counters && !rows[i].counters)
			continue;
		for (size_t k = 0; k < g.n; k++)
			row_of(&g, g.rows)[k] = cell(&rows[i], g.columns[k]);
		g.rows++;
	}
	put_grid(f, &g);
}

static void heading(FILE *f, const char *title, const struct result *r,
		    bool wide)
{
	char tsc[UNITS_MAX], core[UNITS_MAX], cpu[32];
	const char *where = r->cpu == RESULT_CPUS_DIFFER
				    ? "the process runs were on different CPUs "
				      "(was the cpuset changed?)"
				    : "bound to no CPU";

	snprintf(cpu, sizeof(cpu), "CPU %" PRId64, r->cpu);
	if (title)
		put_text(f, "%s: %s", r->benchmark, title);
	put_text(f, "timer %s, counter %s, core %s, %s, policy %s %" PRId64,
		 r->timer ? r->timer : "-", units_format(tsc, r->tsc_hz, "Hz"),
		 units_format(core, r->core_hz, "Hz"),
		 r->cpu >= 0 ? cpu : where, r->policy ? r->policy : "-",
		 r->priority < 0 ? 0 : r->priority);
	put_text(f, "value: median over fresh processes; %s%s",
		 r->n < 6
			 ? "with fewer than 6 there is no interval and no grade"
			 : "interval: exact, from order statistics; "
			   "grade: " GRADE_WORDS,
		 wide ? "" : "; more: --wide");
	fputc('\n', f);
}

/* One line for each reason why an event is unknown, with all that it is the
 * reason of.  Bounds differ from row to row and say little: they are left to
 * JSON. */
static void put_unknown(FILE *f, json_t *unknown)
{
	json_t *lines = json_object(), *why, *events;
	const char *event, *reason;

	json_object_foreach(unknown, event, why)
	{
		reason = json_string_value(why);
		if (!reason || *reason == '<')
			continue;
		events = json_object_get(lines, reason);
		json_object_set_new(lines, reason,
				    json_sprintf("%s %s",
						 events ? json_string_value(
								  events)
							: "unknown:",
						 event));
	}
	json_object_foreach(lines, reason, events)
		put_text(f, "%s: %s", json_string_value(events), reason);
	json_decref(lines);
}

/* The table of the values, and below it that of what was counted. */
static void put_tables(FILE *f, const char *title, const struct result *rows,
		       size_t n, bool wide)
{
	const json_t *counters = NULL;
	const char *scope;

	for (size_t i = n; i--;)
		counters = rows[i].counters ? rows[i].counters : counters;
	heading(f, title, rows, wide);
	put_table(f, rows, n, of_rows, wide);
	if (!counters)
		return;
	scope = json_string_value(json_object_get(counters, "scope"));
	fprintf(f, "\ncounted of the thread that measures, %s:\n",
		scope ? scope : "-");
	put_table(f, rows, n, of_counters, wide);
	put_unknown(f, json_object_get(counters, "unknown"));
}

bool out_is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}

/* One field (RFC 4180); a control character is none that a cell should hold. */
static void csv_text(FILE *f, const char *text)
{
	const char *quote = strpbrk(text, ",\"") ? "\"" : "";

	fputs(quote, f);
	if (out_is_formula(text))
		fputc('\'', f);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"')
			fputc('"', f);
		fputc(strchr("\t\n\r", c)     ? ' '
		      : c < 0x20 || c == 0x7f ? '?'
					      : c,
		      f);
	}
	fputs(quote, f);
}

static void csv_field(FILE *f, const json_t *v)
{
	char *text;

	if (json_is_string(v)) {
		csv_text(f, json_string_value(v));
	} else if (v && !json_is_null(v)) {
		text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT |
					     JSON_SORT_KEYS |
					     JSON_REAL_PRECISION(12));
		if (text && !json_is_number(v))
			csv_text(f, text);
		else
			fputs(text ? text : "", f);
		free(text);
	}
}

/* The keys, or what they have; a pair has two columns. */
static void csv_line(FILE *f, json_t *row, bool heading)
{
	const char *key, *sep = "";
	json_t *v;

	json_object_foreach(row, key, v)
	{
		const bool pair = !strcmp(key, "ci95");

		fputs(sep, f);
		sep = ",";
		if (heading) {
			fprintf(f, pair ? "%s_low,%s_high" : "%s", key, key);
			continue;
		}
		csv_field(f, pair ? json_array_get(v, 0) : v);
		if (pair) {
			fputs(sep, f);
			csv_field(f, json_array_get(v, 1));
		}
	}
	fputc('\n', f);
}

void out_csv_row(FILE *f, const struct result *row, bool first)
{
	json_t *o = result_to_json(row);

	if (first)
		csv_line(f, o, true);
	csv_line(f, o, false);
	json_decref(o);
}

static void json_row(FILE *f, const struct result *row)
{
	json_t *o = result_to_json(row);

	json_dumpf(o, f, JSON_COMPACT | JSON_REAL_PRECISION(12));
	fputc('\n', f);
	json_decref(o);
}

int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n)
{
	const bool table = format == OUT_SHORT || format == OUT_WIDE;

	if (n && table)
		put_tables(f, title, rows, n, format == OUT_WIDE);
	for (size_t i = 0; i < n && !table; i++)
		if (format == OUT_CSV)
			out_csv_row(f, &rows[i], !i);
		else
			json_row(f, &rows[i]);
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return 0;
}
