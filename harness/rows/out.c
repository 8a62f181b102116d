/* SPDX-License-Identifier: MIT */
#include "out.h"

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

const char *out_value(const struct result *r)
{
	switch (r->status) {
	case RESULT_OK:
		return r->states ? states_text(r)
				 : text_units(r->value, r->unit);
	case RESULT_BELOW_RESOLUTION:
		/* A rate has none: the remark gives the resolution. */
		return isfinite(r->resolution)
			       ? text_format("< %s",
					     text_units(r->resolution, r->unit))
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
		return "";
	per = units_scale(r->value, r->unit, &shown);
	if (!shown || !strcmp(shown, "1"))
		shown = "";
	return text_format("%s..%s%s%s", text_number(r->ci95[0] / per),
			   text_number(r->ci95[1] / per), *shown ? " " : "",
			   shown);
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
	return text_format(fmax(x, y) < 100 * invocations ? "%.4g/%.4g"
			   : x < y || x > y		  ? "%.10g/%.10g"
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

/* "counted of one operation, user: instructions 12.5, cycles 4.02": the events
 * that are known. */
static char *counted(const struct result *r)
{
	const char *key, *scope;
	char *all = NULL;
	json_t *v;

	json_object_foreach(r->counters, key, v)
	{
		const double x = json_number_value(v);

		if (json_is_number(v))
			all = append(all, ", ",
				     text_format("%s %s", key, text_number(x)));
	}
	scope = json_string_value(json_object_get(r->counters, "scope"));
	return all ? text_format("counted of one operation, %s: %s",
				 scope ? scope : "-", all)
		   : NULL;
}

/* "2 measurements", NULL if there are none. */
static char *some(const json_t *number, const char *of)
{
	const json_int_t n = json_integer_value(number);

	return n ? text_format("%" JSON_INTEGER_FORMAT " %s%s", n, of,
			       n == 1 ? "" : "s")
		 : NULL;
}

const char *out_excluded(const struct result *r)
{
	const json_t *runs = json_object_get(r->set_aside, "invocations");
	const json_t *visits = json_object_get(r->set_aside, "visits");
	char *all = append(some(visits, "measurement"), " and ",
			   some(runs, "process run"));
	char *reasons = NULL;
	const char *key;
	json_t *v;

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

/* "samples 256; min 19.1 ns; mean 20.0 ns ...; evidence".  The percentiles of
 * batches are no percentiles of operations. */
static char *figures(const struct result *r)
{
	const bool each = r->iters == 1;
	const struct {
		const char *name;
		double value;
		const char *unit;
	} figure[] = {
		{ "samples", (double)r->samples, NULL },
		{ "min", r->min, r->unit },
		{ "mean", r->mean, r->unit },
		{ "stddev", r->stddev, r->unit },
		{ "p50", each ? r->p50 : NAN, r->unit },
		{ "p90", each ? r->p90 : NAN, r->unit },
		{ "p99", each ? r->p99 : NAN, r->unit },
		{ "max", each ? r->max : NAN, r->unit },
		{ "cold", r->cold, r->unit },
		{ "cycles", r->cycles, NULL },
	};
	char *all = NULL;

	for (size_t i = 0; i < sizeof(figure) / sizeof(*figure); i++)
		if (r->status == RESULT_OK && isfinite(figure[i].value))
			all = append(all, "; ",
				     text_format("%s %s", figure[i].name,
						 text_units(figure[i].value,
							    figure[i].unit)));
	return append(all, "; ", out_evidence(r));
}

/* Facts that have no column. */
static char *remark(const struct result *r, bool wide)
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
					 text_units(r->expected, r->unit)));
	if (ok && isfinite(error))
		all = append(all, ", error ", text_error(error));
	all = append(all, "; ", grade_doubt(r));
	all = append(all, "; ", out_excluded(r));
	all = append(all, "; ", counted(r));
	return wide ? append(all, "; ", figures(r)) : all;
}

/*
 * Tables for a terminal, lined up by characters.
 */

#define LINE	80 /* columns of a terminal */
#define GAP	2  /* blanks between columns */
#define COLUMNS 4  /* of the table, and a remark behind them */

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

/* A row, or the headings; the remark, or NULL, stands behind it or below. */
struct line {
	const char *cell[COLUMNS], *remark;
};

/* Columns that cell @k of @n rows needs below its heading in @line; 0 if none
 * has one. */
static size_t widest(const struct line *line, size_t n, size_t k)
{
	const size_t heading = units_width(line->cell[k]);
	size_t most = 0;

	for (size_t i = 1; i <= n; i++) {
		const size_t own = units_width(line[i].cell[k]);

		most = own > most ? own : most;
	}
	return most && most < heading ? heading : most;
}

/* Figures end where their columns end; no blanks end a line. */
static void put_row(FILE *f, const struct line *line, const size_t *width)
{
	size_t used = put_lines(f, *line->cell, *width, 0, GAP), end = *width;
	const char *remark = line->remark;

	for (size_t k = 1; k < COLUMNS; k++) {
		const size_t own = width[k] ? units_width(line->cell[k]) : 0;

		end += width[k] ? GAP + width[k] : 0;
		if (own) {
			fprintf(f, "%*s%s", (int)(end - own - used), "",
				line->cell[k]);
			used = end;
		}
	}
	if (remark && used + GAP + units_width(remark) <= LINE) {
		fprintf(f, "%*s%s", GAP, "", remark);
	} else if (remark) {
		fputc('\n', f);
		put_lines(f, remark, LINE, (size_t)2 * GAP, (size_t)2 * GAP);
	}
	fputc('\n', f);
}

/* Names that are too long for the line are folded behind commas. */
static void put_table(FILE *f, const struct result *rows, size_t n, bool wide)
{
	struct line *line = text_alloc(n + 1, sizeof(*line));
	size_t width[COLUMNS], room = LINE;

	*line = (struct line) { { "case", "value", "95 % interval", "grade" },
				NULL };
	for (size_t i = 0; i < n; i++) {
		const struct result *r = &rows[i];

		line[i + 1] =
			(struct line) { { r->name, out_value(r), interval(r),
					  r->grade ? r->grade : "" },
					flat(remark(r, wide)) };
	}
	for (size_t k = COLUMNS; k--;) {
		width[k] = widest(line, n, k);
		if (k && width[k])
			room -= GAP + width[k];
	}
	*width = *width < room ? *width : room;
	for (size_t i = 0; i <= n; i++)
		put_row(f, &line[i], width);
}

static void put_heading(FILE *f, const char *title, const struct result *r)
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
				text_units(r->tsc_hz, "Hz"),
				text_units(r->core_hz, "Hz"), cpu,
				r->policy ? r->policy : "-",
				r->priority < 0 ? 0 : r->priority));
	put_text(f, text_format("value: median over fresh processes; %s; "
				"more: --wide, --json",
				r->n < 6 ? "with fewer than 6 there is no "
					   "interval and no grade"
					 : "interval: exact, from order "
					   "statistics; grade: " GRADE_WORDS));
	fputc('\n', f);
}

/* One line for each reason why an event is unknown, with all that it is the
 * reason of.  Events too small to measure differ from row to row. */
static void put_unknown(FILE *f, const struct result *rows, size_t n)
{
	json_t *unknown = NULL, *lines = json_object(), *why, *events;
	const char *event, *reason;

	for (size_t i = 0; i < n && !unknown; i++)
		unknown = json_object_get(rows[i].counters, "unknown");
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
static void csv_line(FILE *f, const struct result *row, bool heading)
{
	json_t *o = result_to_json(row), *v;
	const char *key, *sep = "";

	json_object_foreach(o, key, v)
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
	json_decref(o);
}

void out_csv_row(FILE *f, const struct result *row, bool first)
{
	if (first)
		csv_line(f, row, true);
	csv_line(f, row, false);
}

void out_rows(FILE *f, enum out_format format, const char *title,
	      const struct result *rows, size_t n)
{
	const bool table = format == OUT_TABLE || format == OUT_WIDE;

	if (__lsan_disable)
		__lsan_disable();
	if (n && table) {
		put_heading(f, title, rows);
		put_table(f, rows, n, format == OUT_WIDE);
		put_unknown(f, rows, n);
	}
	for (size_t i = 0; i < n && !table; i++)
		if (format == OUT_CSV)
			out_csv_row(f, &rows[i], !i);
		else
			fputs(result_line(&rows[i], 12), f);
}
