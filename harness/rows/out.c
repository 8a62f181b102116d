/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "grade.h"
#include "out_grid.h"
#include "units.h"

#define COUNT(list)   (sizeof(list) / sizeof(*(list)))
#define NOTE_MOST     511
#define COUNTED_SHORT 6 /* of @counted have room in 80 columns */

/* The columns of the tables, by their keys. */
static const char *const of_short[] = { "case", "value", "ci95", "grade" };
static const char *const of_wide[] = {
	"case",	       "value", "ci95",	   "expected", "error",
	"min",	       "mean",	"stddev",  "p50",      "p90",
	"p99",	       "max",	"cold",	   "ticks",    "cycles",
	"distance_ns", "n",	"samples", "grade",    "evidence",
};

/* What is no member: of two, and keys of the object "counters". */
static const struct result_column error_column = {
	.key = "error",
	.heading = "error",
	.kind = COLUMN_NUMBER,
	.shown = SHOWN_ERROR,
};
static const struct result_column remark_column = { .shown = SHOWN_REMARK };

#define COUNTED(key_of, of)                                          \
	{                                                            \
		.key = key_of, .heading = of, .shown = SHOWN_COUNTED \
	}

static const struct result_column counted[] = {
	{ .key = "case", .heading = "of one operation", .shown = SHOWN_NAME },
	COUNTED("instructions", "instructions"),
	COUNTED("cycles", "cycles"),
	COUNTED("ipc", "IPC"),
	COUNTED("llc_misses", "LLC misses"),
	COUNTED("page_faults", "faults"),
	COUNTED("branch_misses", "branch misses"),
	COUNTED("context_switches", "switches"),
	COUNTED("task_clock_ns", "CPU ns"),
	COUNTED("intervals", "intervals"),
};

static const struct result_column *find_column(const char *key)
{
	const struct result_column *c = result_columns;

	while (c->key && strcmp(c->key, key) != 0)
		c++;
	return c->key ? c : &error_column;
}

/* Line feeds in @text become blanks: where lines end is decided here. */
static char *flat(char *text)
{
	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

/* What is not known is empty. */
static void put_amount(FILE *f, double x, const char *unit)
{
	char text[UNITS_MAX];

	if (isfinite(x))
		fputs(units_format(text, x, unit), f);
}

static void put_value(FILE *f, const struct result *r)
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

/* In --wide the value beside it has the unit for both. */
static void put_interval(FILE *f, const struct result *r, bool wide)
{
	char lo[UNITS_MAX], hi[UNITS_MAX];
	const char *shown;
	double per;

	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]))
		return;
	per = units_scale(r->value, r->unit, &shown);
	fprintf(f, "%s..%s", units_number(lo, r->ci95[0] / per),
		units_number(hi, r->ci95[1] / per));
	if (!wide && shown && strcmp(shown, "1") != 0)
		fprintf(f, " %s", shown);
}

static void put_evidence(FILE *f, json_t *evidence)
{
	const char *key, *sep = "";
	char a[UNITS_MAX], b[UNITS_MAX];
	double x, y;
	json_t *v;

	json_object_foreach(evidence, key, v)
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
static void put_remark(FILE *f, const struct result *r)
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

/* Column @c of @r, of --wide or of the table in 80 columns.  There a row
 * without a value has its name, why, and how many invocations say so. */
static void put_cell(FILE *f, const struct result *r,
		     const struct result_column *c, bool wide)
{
	const void *at = (const char *)r + c->offset;
	const bool ok = r->status == RESULT_OK;
	const double x =
		ok && c->kind == COLUMN_NUMBER ? *(const double *)at : NAN;
	const json_t *counted_one;
	char text[UNITS_MAX];

	switch (c->shown) {
	case SHOWN_NOTHING:
		break;
	case SHOWN_NAME:
		fputs(*r->name || wide ? r->name : "-", f);
		break;
	case SHOWN_COUNT:
		fprintf(f, "%" PRIu64, *(const uint64_t *)at);
		break;
	case SHOWN_NOTE:
		if (ok)
			put_evidence(f, r->evidence);
		else
			fprintf(f, "%s: %s",
				r->status == RESULT_BELOW_RESOLUTION
					? "below resolution"
					: result_status_name(r->status),
				r->reason ? r->reason : "no reason was given");
		break;
	case SHOWN_REMARK:
		put_remark(f, r);
		break;
	case SHOWN_COUNTED:
		counted_one = json_object_get(r->counters, c->key);
		if (json_is_integer(counted_one))
			fprintf(f, "%" JSON_INTEGER_FORMAT,
				json_integer_value(counted_one));
		else if (json_is_real(counted_one))
			put_amount(f, json_real_value(counted_one), NULL);
		break;
	case SHOWN_VALUE:
		if (ok || !wide)
			put_value(f, r);
		break;
	case SHOWN_INTERVAL:
		put_interval(f, r, wide);
		break;
	case SHOWN_GRADE:
		if (r->grade &&
		    (ok || (!wide && r->status == RESULT_BELOW_RESOLUTION)))
			fputs(r->grade, f);
		break;
	case SHOWN_ERROR:
		if (ok && isfinite(r->expected) && isfinite(r->value) &&
		    r->expected != 0)
			fputs(units_error(text, r->value / r->expected - 1), f);
		break;
	case SHOWN_EVENT: /* of batches they say nothing about operations */
		if (r->iters != 1 || !r->samples)
			break;
		__attribute__((fallthrough));
	case SHOWN_UNIT:
		put_amount(f, x, r->unit);
		break;
	case SHOWN_NS:
		put_amount(f, x, "ns");
		break;
	case SHOWN_NUMBER:
		put_amount(f, x, NULL);
		break;
	case SHOWN_SAMPLES:
		if (ok && r->samples)
			fprintf(f, "%" PRIu64, r->samples);
		break;
	}
}

/* A new string, in one line: where lines end is decided in the end. */
static char *cell(const struct result *r, const struct result_column *c,
		  bool wide)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	put_cell(f, r, c, wide);
	fclose(f);
	if (text && c->shown == SHOWN_NOTE && len > NOTE_MOST)
		text[NOTE_MOST] = '\0';
	return c->shown == SHOWN_REMARK ? flat(text) : text;
}

/* The @columns of the @n @rows. */
static int put_table(FILE *f, const struct result *const *rows, size_t n,
		     const struct result_column *const *columns, size_t count,
		     bool wide)
{
	char sides[GRID_COLUMNS], **heads, **cells;
	struct grid g;
	int err = grid_new(&g, n + 1, count);

	heads = grid_row(&g, 0);
	for (size_t k = 0; !err && k < count; k++) {
		const struct result_column *c = columns[k];
		const bool grade = wide && c->shown == SHOWN_GRADE;

		sides[k] = grade || c->shown == SHOWN_NOTE ? 'l' : 'r';
		heads[k] = strdup(c->heading);
		for (size_t i = 0; i < n; i++)
			grid_row(&g, i + 1)[k] = cell(rows[i], c, wide);
	}
	for (size_t i = 1; !err && !wide && i <= n; i++) {
		cells = grid_row(&g, i);
		if (*columns != counted)
			cells[count] = cell(rows[i - 1], &remark_column, false);
		if (!heads[count] && cells[count] && *cells[count])
			heads[count] = strdup("remark");
		err = *cells ? 0 : -ENOMEM;
	}
	if (!err)
		grid_put(f, &g, sides, wide ? GRID_ANY : GRID_LINE);
	grid_free(&g);
	return err;
}

/* A line of its own; in 80 columns if it is not for --wide. */
__attribute__((format(printf, 3, 4))) static void put_line(FILE *f, bool wide,
							   const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text && wide)
		fprintf(f, "%s\n", text);
	else if (text)
		grid_text(f, flat(text), GRID_GAP);
	free(text);
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
		put_line(f, wide, "%s: %s", r->benchmark, title);
	put_line(f, wide,
		 "timer %s, counter %s, core %s, %s, policy %s %" PRId64,
		 r->timer ? r->timer : "-", units_format(tsc, r->tsc_hz, "Hz"),
		 units_format(core, r->core_hz, "Hz"),
		 r->cpu >= 0 ? cpu : where, r->policy ? r->policy : "-",
		 r->priority < 0 ? 0 : r->priority);
	if (wide)
		fputs("value: median over n invocations (fresh processes); "
		      "interval: exact, from order statistics; "
		      "grade: " GRADE_WORDS "\n\n",
		      f);
	else
		fprintf(f,
			"value: median over fresh processes; %s; more: "
			"--wide\n\n",
			r->n < 6 ? "with fewer than 6 there is no interval "
				   "and\nno grade"
				 : "interval: exact, from order statistics;\n"
				   "grade: " GRADE_WORDS);
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
		put_line(f, false, "%s: %s", json_string_value(events), reason);
	json_decref(lines);
}

/* The table of the values, and below it that of what was counted. */
static int put_tables(FILE *f, const char *title, const struct result *rows,
		      size_t n, bool wide)
{
	const struct result_column *columns[COUNT(of_wide)];
	const size_t count = wide ? COUNT(of_wide) : COUNT(of_short);
	const struct result **some = calloc(n, sizeof(const struct result *));
	const char *scope;
	size_t k = 0;
	int err;

	if (!some)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		some[i] = &rows[i];
	for (size_t i = 0; i < count; i++)
		columns[i] = find_column(wide ? of_wide[i] : of_short[i]);
	heading(f, title, rows, wide);
	err = put_table(f, some, n, columns, count, wide);
	for (size_t i = 0; i < n; i++)
		if (rows[i].counters)
			some[k++] = &rows[i];
	if (k && !err) {
		for (size_t i = 0; i < COUNT(counted); i++)
			columns[i] = &counted[i];
		scope = json_string_value(
			json_object_get(some[0]->counters, "scope"));
		fprintf(f, "\ncounted of the thread that measures, %s:\n",
			scope ? scope : "-");
		err = put_table(f, some, k, columns,
				wide ? COUNT(counted) : COUNTED_SHORT, wide);
		put_unknown(f, json_object_get(some[0]->counters, "unknown"));
	}
	free(some);
	return err;
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

int out_csv_row(FILE *f, const struct result *row, bool first)
{
	if (first) {
		fputs("schema", f);
		for (const struct result_column *c = result_columns; c->key;
		     c++)
			fprintf(f,
				c->kind == COLUMN_PAIR ? ",%s_low,%s_high"
						       : ",%s",
				c->key, c->key);
		fputc('\n', f);
	}
	fprintf(f, "%d", RESULT_SCHEMA);
	for (const struct result_column *c = result_columns; c->key; c++) {
		json_t *v = result_member(row, c);

		if (!v)
			return -ENOMEM;
		fputc(',', f);
		csv_field(f, c->kind == COLUMN_PAIR ? json_array_get(v, 0) : v);
		if (c->kind == COLUMN_PAIR) {
			fputc(',', f);
			csv_field(f, json_array_get(v, 1));
		}
		json_decref(v);
	}
	fputc('\n', f);
	return 0;
}

static int json_row(FILE *f, const struct result *row)
{
	json_t *o = result_to_json(row);
	int err = 0;

	if (!o)
		return -ENOMEM;
	if (json_dumpf(o, f, JSON_COMPACT | JSON_REAL_PRECISION(12)) ||
	    fputc('\n', f) == EOF)
		err = errno ? -errno : -EIO;
	json_decref(o);
	return err;
}

int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n)
{
	int err = 0;

	if (n && (format == OUT_SHORT || format == OUT_WIDE)) {
		err = put_tables(f, title, rows, n, format == OUT_WIDE);
	} else if (format == OUT_CSV || format == OUT_JSON) {
		for (size_t i = 0; !err && i < n; i++)
			err = format == OUT_CSV ? out_csv_row(f, &rows[i], !i)
						: json_row(f, &rows[i]);
	}
	if (!err && (fflush(f) || ferror(f)))
		err = errno ? -errno : -EIO;
	return err;
}
