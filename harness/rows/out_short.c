/* SPDX-License-Identifier: MIT */
/* The table for a terminal: what matters of each row in 80 columns. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "out.h"
#include "states.h"
#include "units.h"
#include "wrap.h"

#define LINE 80 /* columns of a terminal */
#define GAP  2	/* blanks between columns */

static void pad(FILE *f, size_t used, size_t width)
{
	fprintf(f, "%*s", (int)(used < width ? width - used : 0), "");
}

/* Line feeds in @text become blanks: where lines end is decided here. */
static char *flat(char *text)
{
	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

void out_text(FILE *f, const char *text, size_t indent)
{
	struct wrap w = { .rest = text };

	for (size_t at = 0; wrap_line(&w, LINE - at); at = indent)
		fprintf(f, "%*s%.*s\n", (int)at, "", (int)w.len, w.line);
}

/* The lines of a name but the last, which is written without a line feed.
 * Return: columns of the last. */
static size_t put_name(FILE *f, const char *name, size_t width)
{
	struct wrap w = { .rest = name };
	size_t at = 0;

	while (wrap_line(&w, width - at)) {
		fprintf(f, "%*s%.*s", (int)at, "", (int)w.len, w.line);
		if (!*w.rest) {
			char *last = strndup(w.line, w.len);

			at += last ? units_width(last) : 0;
			free(last);
			return at;
		}
		fputc('\n', f);
		at = GAP;
	}
	return 0;
}

/* Behind the row if it fits there, else below it. */
static void put_remark(FILE *f, const char *remark, size_t used)
{
	struct wrap w = { .rest = remark };

	if (remark && *remark && used + GAP + units_width(remark) <= LINE) {
		fprintf(f, "%*s%s\n", GAP, "", remark);
		return;
	}
	fputc('\n', f);
	while (remark && wrap_line(&w, LINE - 2 * GAP))
		fprintf(f, "%*s%.*s\n", 2 * GAP, "", (int)w.len, w.line);
}

static void put_line(FILE *f, char *const *cells, size_t columns,
		     const size_t *width, const char *remark)
{
	size_t used = put_name(f, cells[0], width[0]), owed = width[0] - used;

	for (size_t k = 1; k < columns; k++) {
		const char *cell = cells[k] ? cells[k] : "";
		size_t w = units_width(cell);

		if (!width[k])
			continue;
		owed += GAP + width[k] - w;
		if (!w)
			continue;
		pad(f, 0, owed);
		fputs(cell, f);
		used += owed + w;
		owed = 0;
	}
	put_remark(f, remark, used);
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

/* The terms of @name that @of has (or has not), a new string. */
static char *terms(const char *name, const char *of, bool has)
{
	char *text = calloc(strlen(name) + 1, 1), *end = text;

	while (text && *name) {
		size_t n = strcspn(name, ",");

		if (has_term(of, name, n) == has) {
			if (end != text)
				*end++ = ',';
			end = stpncpy(end, name, n);
		}
		name += n + (name[n] == ',');
	}
	return text;
}

/* Terms that all names have go into a line above the table; not if a name is
 * nothing but these. */
static void hoist(FILE *f, char **cells, size_t rows, size_t columns)
{
	char *shared = rows > 2 ? strdup(cells[columns]) : NULL;
	bool whole = false;

	for (size_t i = 1; shared && i < rows; i++) {
		char *both = terms(shared, cells[i * columns], true);

		free(shared);
		shared = both;
	}
	for (size_t i = 1; shared && i < rows; i++) {
		char *rest = terms(cells[i * columns], shared, false);

		whole |= !rest || !*rest;
		free(rest);
	}
	if (shared && *shared && !whole) {
		char *text = NULL;

		for (size_t i = 1; i < rows; i++) {
			char *rest = terms(cells[i * columns], shared, false);

			if (!rest)
				continue;
			free(cells[i * columns]);
			cells[i * columns] = rest;
		}
		if (asprintf(&text, "in all cases: %s", shared) >= 0) {
			out_text(f, text, GAP);
			free(text);
			fputc('\n', f);
		}
	}
	free(shared);
}

static size_t widest(char *const *cells, size_t rows, size_t columns, size_t k)
{
	size_t most = 0;

	for (size_t i = 0; i < rows; i++) {
		const char *cell = cells[i * columns + k];
		size_t w = cell ? units_width(cell) : 0;

		most = w > most ? w : most;
	}
	return most;
}

int out_folded(FILE *f, char **cells, size_t rows, size_t columns,
	       char *const *remarks)
{
	size_t *width = calloc(columns, sizeof(*width)), room = LINE;

	if (!width)
		return -ENOMEM;
	for (size_t k = 1; k < columns; k++) {
		/* A column without any content is left out. */
		if (!widest(cells + columns, rows - 1, columns, k))
			continue;
		width[k] = widest(cells, rows, columns, k);
		room -= GAP + width[k];
	}
	if (widest(cells, rows, columns, 0) > room)
		hoist(f, cells, rows, columns);
	width[0] = widest(cells, rows, columns, 0);
	if (width[0] > room)
		width[0] = room;
	for (size_t i = 0; i < rows; i++)
		put_line(f, &cells[i * columns], columns, width,
			 remarks ? remarks[i] : NULL);
	free(width);
	return 0;
}

enum { C_CASE, C_VALUE, C_INTERVAL, C_GRADE, COLUMNS };

static char *value(const struct result *r)
{
	char text[UNITS_MAX], both[STATES_MAX], *bound = NULL;

	switch (r->status) {
	case RESULT_OK:
		if (states_text(both, r))
			return strdup(both);
		return strdup(units_format(text, r->value, r->unit));
	case RESULT_BELOW_RESOLUTION:
		/* Of a rate there is none: the remark says what it was. */
		if (!isfinite(r->resolution))
			return strdup("unstable");
		units_format(text, r->resolution, r->unit);
		return asprintf(&bound, "< %s", text) < 0 ? NULL : bound;
	default:
		return strdup(result_status_name(r->status));
	}
}

static char *interval(const struct result *r)
{
	char lo[UNITS_MAX], hi[UNITS_MAX], *text = NULL;
	const char *shown;
	double per;

	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]))
		return NULL;
	per = units_scale(r->value, r->unit, &shown);
	if (asprintf(&text, "%s..%s%s%s", units_number(lo, r->ci95[0] / per),
		     units_number(hi, r->ci95[1] / per),
		     shown && strcmp(shown, "1") != 0 ? " " : "",
		     shown && strcmp(shown, "1") != 0 ? shown : "") < 0)
		return NULL;
	return text;
}

static void say_error(FILE *f, const struct result *r)
{
	char text[UNITS_MAX];

	if (r->status != RESULT_OK || !isfinite(r->expected))
		return;
	fprintf(f, "%strue %s", r->states ? "; " : "",
		units_format(text, r->expected, r->unit));
	if (r->expected != 0)
		fprintf(f, ", error %s",
			units_error(text, r->value / r->expected - 1));
}

/* "2 visits set aside: bytes_from_cache" */
static void say_aside(FILE *f, const struct result *r, const char *sep)
{
	static const char *const kinds[] = { "visit", "invocation" };
	static const char *const keys[] = { "visits", "invocations" };
	const char *key, *and = sep;
	json_t *count;

	if (!json_is_object(r->set_aside))
		return;
	for (int i = 0; i < 2; i++) {
		json_int_t n = json_integer_value(
			json_object_get(r->set_aside, keys[i]));

		if (n)
			fprintf(f, "%s%" JSON_INTEGER_FORMAT " %s%s", and, n,
				kinds[i], n == 1 ? "" : "s");
		and = n ? " and " : and;
	}
	fputs(" set aside", f);
	sep = ": ";
	json_object_foreach(json_object_get(r->set_aside, "reasons"), key,
			    count)
	{
		fprintf(f, "%s%s", sep, key);
		sep = ", ";
	}
}

/* What the columns do not say; a new string, empty if there is nothing. */
static char *remark(const struct result *r)
{
	const char *why = r->reason ? r->reason : "no reason was given";
	bool below = r->status == RESULT_BELOW_RESOLUTION;
	char *text = NULL, *doubt;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	doubt = grade_doubt(r);
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
	say_error(f, r);
	fflush(f);
	if (doubt)
		fprintf(f, "%s%s", len ? "; " : "", doubt);
	free(doubt);
	fflush(f);
	say_aside(f, r, len ? "; " : "");
	fclose(f);
	return flat(text);
}

char *out_cpu(const struct result *r)
{
	char *text = NULL;

	if (r->cpu >= 0 && asprintf(&text, ", CPU %" PRId64, r->cpu) < 0)
		return NULL;
	return text ? text
		    : strdup(r->cpu == RESULT_CPUS_DIFFER
				     ? ", the process runs were on different "
				       "CPUs (was the cpuset changed?)"
				     : ", bound to no CPU");
}

static void heading(FILE *f, const char *title, const struct result *r)
{
	char tsc[UNITS_MAX], core[UNITS_MAX], *text = NULL;
	char *cpu = out_cpu(r);

	if (title && asprintf(&text, "%s: %s", r->benchmark, title) >= 0) {
		out_text(f, flat(text), GAP);
		free(text);
	}
	if (asprintf(&text, "timer %s, counter %s, core %s%s, policy %s %lld",
		     r->timer ? r->timer : "-",
		     units_format(tsc, r->tsc_hz, "Hz"),
		     units_format(core, r->core_hz, "Hz"), cpu ? cpu : "",
		     r->policy ? r->policy : "-",
		     r->priority < 0 ? 0LL : (long long)r->priority) >= 0) {
		out_text(f, text, GAP);
		free(text);
	}
	free(cpu);
	fprintf(f, "value: median over fresh processes; %s; more: --wide\n\n",
		r->n < 6
			? "with fewer than 6 there is no interval and\nno grade"
			: "interval: exact, from order statistics;\n"
			  "grade: " GRADE_WORDS);
}

int out_short(FILE *f, const char *title, const struct result *rows, size_t n)
{
	static const char *const heads[COLUMNS] = { "case", "value",
						    "95 % interval", "grade" };
	char **cells = calloc((n + 1) * COLUMNS, sizeof(*cells));
	char **remarks = calloc(n + 1, sizeof(*remarks));
	int err = cells && remarks ? 0 : -ENOMEM;

	for (size_t k = 0; !err && k < COLUMNS; k++)
		cells[k] = strdup(heads[k]);
	for (size_t i = 0; !err && i < n; i++) {
		char **row = &cells[(i + 1) * COLUMNS];

		row[C_CASE] = strdup(*rows[i].name ? rows[i].name : "-");
		row[C_VALUE] = value(&rows[i]);
		row[C_INTERVAL] = interval(&rows[i]);
		if (rows[i].status <= RESULT_BELOW_RESOLUTION && rows[i].grade)
			row[C_GRADE] = strdup(rows[i].grade);
		remarks[i + 1] = remark(&rows[i]);
		err = row[C_CASE] ? 0 : -ENOMEM;
	}
	for (size_t i = 1; !err && i <= n; i++)
		if (!remarks[0] && remarks[i] && *remarks[i])
			remarks[0] = strdup("remark");
	if (!err && n) {
		heading(f, title, &rows[0]);
		err = out_folded(f, cells, n + 1, COLUMNS, remarks);
	}
	for (size_t i = 0; cells && i < (n + 1) * COLUMNS; i++)
		free(cells[i]);
	for (size_t i = 0; remarks && i <= n; i++)
		free(remarks[i]);
	free(remarks);
	free(cells);
	return err;
}
