/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "err.h"
#include "grade.h"
#include "units.h"

/* Strings are made and never freed: the program ends when its rows are written.
 * NOLINTNEXTLINE(bugprone-reserved-identifier) */
void __lsan_disable(void) __attribute__((weak));

/* @list and @item, each of which may be NULL. */
static char *append(char *list, const char *sep, const char *item)
{
	if (!item)
		return list;
	return text_format("%s%s%s", list ? list : "", list ? sep : "", item);
}

static char *units(double value, const char *unit)
{
	return units_format(text_alloc(UNITS_MAX, 1), value, unit);
}

static char *digits(double value)
{
	return units_number(text_alloc(UNITS_MAX, 1), value);
}

const char *out_value(const struct result *r)
{
	switch (r->status) {
	case RESULT_OK:
		return r->states ? states_text(r) : units(r->value, r->unit);
	case RESULT_BELOW_RESOLUTION:
		/* A rate has none: the remark gives the resolution. */
		return isfinite(r->resolution)
			       ? text_format("< %s",
					     units(r->resolution, r->unit))
			       : "unstable";
	default:
		return result_status_name(r->status);
	}
}

static const char *interval(const struct result *r)
{
	const char *shown;
	double per;

	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]))
		return NULL;
	per = units_scale(r->value, r->unit, &shown);
	if (!shown || !strcmp(shown, "1"))
		shown = "";
	return text_format("%s..%s%s%s", digits(r->ci95[0] / per),
			   digits(r->ci95[1] / per), *shown ? " " : "", shown);
}

static const char *name_of(const struct result *r)
{
	return r->name;
}

/* One entry of "evidence": an object with expected and seen, or a fact. */
static const char *entry(json_t *v, double invocations)
{
	double x, y;

	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_number(v))
		return text_format("%.6g", json_number_value(v));
	if (!json_unpack(v, "[FF!]", &x, &y))
		return text_format("%.6g…%.6g", x, y);
	if (json_unpack(v, "{s:F,s:F}", "seen", &x, "expected", &y))
		return json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);
	/* Counts that differ stand in full; a mean may be no whole number. */
	return text_format(x < y || x > y	   ? "%.10g/%.10g"
			   : x < 100 * invocations ? "%.3g/%.3g"
						   : "%.0f/%.0f",
			   x / invocations, y / invocations);
}

/* "children 200/200; page_bytes 4096" */
static char *entries(json_t *object, double invocations)
{
	char *list = NULL;
	const char *key;
	json_t *v;

	json_object_foreach(object, key,
			    v) if (!json_is_integer(v) || json_integer_value(v))
		list = append(list, "; ",
			      text_format("%s %s", key, entry(v, invocations)));
	return list;
}

const char *out_evidence(const struct result *r)
{
	/* The sums over all of them would be read as what one batch moves. */
	const bool many = r->status <= RESULT_BELOW_RESOLUTION && r->n > 1;
	char *list = entries(r->evidence, many ? (double)r->n : 1);
	char *tags = entries(r->tags, 1);

	return tags ? append(list, "; ", text_format("disturbed: %s", tags))
		    : list;
}

/* A column of a table. */
struct column {
	const char *heading;
	/* A key of the row's JSON, or of its counters. */
	const char *key;
	/* Or what people read instead; NULL: there is nothing to say. */
	const char *(*text)(const struct result *r);
	enum { SHORT, WIDE, EVENTS } where; /* EVENTS: wide, of single ones */
	const char *unit;		    /* of a number, NULL: the row's */
};

static const struct column of_rows[] = {
	{ "case", .key = "case" },
	{ "value", .text = out_value },
	{ "95 % interval", .text = interval },
	{ "min", "min", .where = WIDE },
	{ "mean", "mean", .where = WIDE },
	{ "std dev", "stddev", .where = WIDE },
	{ "p50", "p50", .where = EVENTS },
	{ "p90", "p90", .where = EVENTS },
	{ "p99", "p99", .where = EVENTS },
	{ "max", "max", .where = EVENTS },
	{ "cold", "cold", .where = WIDE },
	{ "ticks", "ticks", .where = WIDE, .unit = "1" },
	{ "cycles", "cycles", .where = WIDE, .unit = "1" },
	{ "distance", "distance_ns", .where = WIDE, .unit = "ns" },
	{ "n", "n", .where = WIDE },
	{ "samples", "samples", .where = WIDE },
	{ "grade", .key = "grade" },
	{ "evidence", .text = out_evidence, .where = WIDE },
	{ 0 },
};

static const struct column of_counters[] = {
	{ "of one operation", .text = name_of },
	{ "instructions", .key = "instructions" },
	{ "cycles", .key = "cycles" },
	{ "IPC", .key = "ipc" },
	{ "LLC misses", .key = "llc_misses" },
	{ "faults", .key = "page_faults" },
	{ "branch misses", "branch_misses", .where = WIDE },
	{ "switches", "context_switches", .where = WIDE },
	{ "CPU ns", "task_clock_ns", .where = WIDE },
	{ 0 },
};

/* The text of column @c for @r, whose keys are in @row; NULL: empty.  The
 * percentiles of batches are no percentiles of operations. */
static const char *cell(const struct result *r, const json_t *row,
			const struct column *c)
{
	const json_t *v = c->key ? json_object_get(row, c->key) : NULL;
	const double x = json_number_value(v);

	if (c->text)
		return c->text(r);
	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_number(v) && row == r->counters)
		return digits(x);
	if (json_is_integer(v))
		return x > 0 ? text_format("%.0f", x) : NULL;
	if (!json_is_real(v) || r->status != RESULT_OK ||
	    (c->where == EVENTS && (r->iters != 1 || !r->samples)))
		return NULL;
	return units(x, c->unit ? c->unit : r->unit);
}

/* "2 measurements and 1 process run excluded: bytes_from_cache" */
static char *set_aside(const struct result *r)
{
	char *all = NULL, *reasons = NULL;
	const char *key;
	json_t *v;

	json_object_foreach(r->set_aside, key, v)
	{
		const json_int_t n = json_integer_value(v);

		if (n)
			all = append(all, " and ",
				     text_format("%" JSON_INTEGER_FORMAT
						 " %s%s",
						 n,
						 strcmp(key, "visits") != 0
							 ? "process run"
							 : "measurement",
						 n == 1 ? "" : "s"));
	}
	json_object_foreach(json_object_get(r->set_aside, "reasons"), key, v)
		reasons = append(reasons, ", ", key);
	return all ? append(append(all, " ", "excluded"), ": ", reasons) : NULL;
}

const char *out_reason(const struct result *r)
{
	const char *rest = r->reason ? strstr(r->reason, ": ") : NULL;

	if (r->status == RESULT_BELOW_RESOLUTION && rest &&
	    (*r->reason == '<' || !strncmp(r->reason, "unstable", 8)))
		return rest + 2;
	return r->reason;
}

/* Facts that have no column. */
static char *remark(const struct result *r)
{
	const bool ok = r->status == RESULT_OK;
	const double error = r->value / r->expected - 1;
	const char *why = out_reason(r);
	char *all = NULL;

	if (!ok)
		all = text_format("%s", why ? why : "no reason was given");
	if (r->states)
		all = append(all, "; ",
			     "the process runs fall in two groups: both "
			     "levels, with their shares");
	if (ok && isfinite(r->expected))
		all = append(all, "; ",
			     text_format("true %s",
					 units(r->expected, r->unit)));
	if (ok && isfinite(error))
		all = append(all, ", error ",
			     units_error(text_alloc(UNITS_MAX, 1), error));
	all = append(all, "; ", grade_doubt(r));
	return append(all, "; ", set_aside(r));
}

/*
 * Tables for a terminal, lined up by characters.
 */

#define LINE 80 /* columns of a terminal */
#define GAP  2	/* blanks between columns */
#define MOST 20 /* columns of a table */

/* Line feeds become blanks: where lines end is decided here. */
static char *flat(char *text)
{
	for (char *feed = text; feed && (feed = strchr(feed, '\n'));)
		*feed = ' ';
	return text;
}

/* @text in lines up to column @end; the first begins behind @at blanks, further
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

/* A line of its own; the second and further ones behind GAP blanks. */
static void put_text(FILE *f, char *text)
{
	put_lines(f, flat(text), LINE, 0, GAP);
	fputc('\n', f);
}

/* The terms of @name, "a=1,b=2", that are also in @other (or are not). */
static const char *terms(const char *name, const char *other, bool also)
{
	char *rest = text_copy(name), *all = NULL, *term;
	const char *list = text_format(",%s,", other);

	while ((term = strsep(&rest, ",")))
		if (!strstr(list, text_format(",%s,", term)) != also)
			all = append(all, ",", term);
	return all ? all : "";
}

/* Row 0 is of headings; a remark is NULL or stands behind its row or below. */
struct table {
	size_t rows, columns;
	struct {
		const char *cell[MOST], *remark;
	} * row;
	size_t width[MOST];
	size_t line; /* columns of the terminal */
};

/* Terms that all names have go into a line above the table; not if a name is
 * nothing but these. */
static void hoist(FILE *f, struct table *t)
{
	const char *shared = t->rows > 2 ? *t->row[1].cell : "";

	for (size_t i = 2; i < t->rows; i++)
		shared = terms(shared, *t->row[i].cell, true);
	for (size_t i = 1; i < t->rows; i++)
		if (!*shared || strlen(*t->row[i].cell) == strlen(shared))
			return;
	for (size_t i = 1; i < t->rows; i++)
		*t->row[i].cell = terms(*t->row[i].cell, shared, false);
	put_text(f, text_format("in all cases: %s", shared));
	fputc('\n', f);
}

/* Columns that column @k needs, 0 if there is nothing below its heading. */
static size_t widest(const struct table *t, size_t k)
{
	const size_t heading = units_width(t->row[0].cell[k]);
	size_t most = 0;

	for (size_t i = 1; i < t->rows; i++) {
		const size_t own = units_width(t->row[i].cell[k]);

		most = own > most ? own : most;
	}
	return most && most < heading ? heading : most;
}

/* Figures end where their columns end; no blanks end a line. */
static void put_row(FILE *f, const struct table *t, size_t i)
{
	const char *const *cell = t->row[i].cell, *remark = t->row[i].remark;
	size_t used = put_lines(f, *cell, *t->width, 0, GAP), end = *t->width;

	for (size_t k = 1; k < t->columns; k++) {
		const size_t own = t->width[k] ? units_width(cell[k]) : 0;

		end += t->width[k] ? GAP + t->width[k] : 0;
		if (own) {
			fprintf(f, "%*s%s", (int)(end - own - used), "",
				cell[k]);
			used = end;
		}
	}
	if (remark && used + GAP + units_width(remark) <= t->line) {
		fprintf(f, "%*s%s", GAP, "", remark);
	} else if (remark) {
		fputc('\n', f);
		put_lines(f, remark, t->line, (size_t)2 * GAP, (size_t)2 * GAP);
	}
	fputc('\n', f);
}

/* A first column that is too long for the line loses the terms that all rows
 * have, which are written above, and is folded behind commas. */
static void put_rows(FILE *f, struct table *t)
{
	size_t room = t->line;

	for (size_t k = 0; k < t->columns; k++) {
		t->width[k] = widest(t, k);
		if (k && t->width[k])
			room -= GAP + t->width[k];
	}
	if (*t->width > room) {
		hoist(f, t);
		*t->width = widest(t, 0);
	}
	if (*t->width > room)
		*t->width = room;
	for (size_t i = 0; i < t->rows; i++)
		put_row(f, t, i);
}

/* The values, or what was counted of the rows that have such figures. */
static void put_table(FILE *f, const struct result *rows, size_t n,
		      const struct column *table, bool wide)
{
	const bool values = table == of_rows;
	struct table t = { .rows = 1, .line = wide ? SIZE_MAX : LINE };

	t.row = text_alloc(n + 1, sizeof(*t.row));
	for (size_t i = 0; i < n; i++) {
		const struct result *r = &rows[i];
		json_t *row = values ? result_to_json(r) : r->counters;

		if (!row)
			continue;
		t.columns = 0;
		for (const struct column *c = table; c->heading; c++) {
			const char *text;

			if (c->where != SHORT && !wide)
				continue;
			text = cell(r, row, c);
			t.row[0].cell[t.columns] = c->heading;
			t.row[t.rows].cell[t.columns++] = text ? text : "";
		}
		if (values)
			t.row[t.rows].remark = flat(remark(r));
		if (t.row[t.rows].remark)
			t.row[0].remark = "remark";
		t.rows++;
	}
	put_rows(f, &t);
}

static void heading(FILE *f, const char *title, const struct result *r,
		    bool wide)
{
	const char *cpu = r->cpu >= 0 ? text_format("CPU %" PRId64, r->cpu)
			  : r->cpu == RESULT_CPUS_DIFFER
				  ? "the process runs were on different CPUs "
				    "(was the cpuset changed?)"
				  : "bound to no CPU";

	if (title)
		put_text(f, text_format("%s: %s", r->benchmark, title));
	put_text(f, text_format("timer %s, counter %s, core %s, %s, "
				"policy %s %" PRId64,
				r->timer ? r->timer : "-",
				units(r->tsc_hz, "Hz"), units(r->core_hz, "Hz"),
				cpu, r->policy ? r->policy : "-",
				r->priority < 0 ? 0 : r->priority));
	put_text(f, text_format("value: median over fresh processes; %s%s",
				r->n < 6 ? "with fewer than 6 there is no "
					   "interval and no grade"
					 : "interval: exact, from order "
					   "statistics; grade: " GRADE_WORDS,
				wide ? "" : "; more: --wide"));
	fputc('\n', f);
}

/* One line for each reason why an event is unknown, with all that it is the
 * reason of.  Events too small to measure differ from row to row. */
static void put_unknown(FILE *f, json_t *unknown)
{
	json_t *lines = json_object(), *why, *events;
	const char *event, *reason;

	json_object_foreach(unknown, event, why)
	{
		reason = json_string_value(why);
		events = json_object_get(lines, reason);
		if (reason && strncmp(reason, "too small", 9) != 0)
			json_object_set_new(
				lines, reason,
				json_sprintf("%s %s",
					     events ? json_string_value(events)
						    : "unknown:",
					     event));
	}
	json_object_foreach(lines, reason, events)
		put_text(f, text_format("%s: %s", json_string_value(events),
					reason));
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
	char *text =
		json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS |
				      JSON_REAL_PRECISION(12));

	if (json_is_number(v))
		fputs(text, f);
	else if (text && !json_is_null(v))
		csv_text(f, json_is_string(v) ? json_string_value(v) : text);
	free(text);
}

/* The keys, or what they have; a pair has two columns. */
static void csv_line(FILE *f, json_t *row, bool heading)
{
	const char *key, *sep = "";
	json_t *v;

	json_object_foreach(row, key, v)
	{
		const bool pair = !strcmp(key, "ci95");

		for (size_t i = 0; i <= pair; i++) {
			const char *end = !pair ? "" : i ? "_high" : "_low";

			fputs(sep, f);
			sep = ",";
			if (heading)
				fprintf(f, "%s%s", key, end);
			else
				csv_field(f, pair ? json_array_get(v, i) : v);
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

int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n)
{
	const bool table = format == OUT_SHORT || format == OUT_WIDE;

	if (__lsan_disable)
		__lsan_disable();
	if (n && table)
		put_tables(f, title, rows, n, format == OUT_WIDE);
	for (size_t i = 0; i < n && !table; i++)
		if (format == OUT_CSV)
			out_csv_row(f, &rows[i], !i);
		else
			fputs(result_line(&rows[i], 12), f);
	if (fflush(f) || ferror(f))
		return errno ? -errno : -EIO;
	return 0;
}
