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
#include "states.h"
#include "units.h"

/* The columns of the tables, by their keys. */
static const char *const of_short[] = { "case", "value", "ci95", "grade" };
static const char *const of_wide[] = {
	"case",	       "value", "ci95",	   "expected", "error",
	"min",	       "mean",	"stddev",  "p50",      "p90",
	"p99",	       "max",	"cold",	   "ticks",    "cycles",
	"distance_ns", "n",	"samples", "grade",    "evidence",
};

#define NOTE_MOST   511
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* Keys of the object "counters" that are shown, and their headings; as many as
 * 80 columns have room for, and with --wide all. */
static const struct {
	const char *key, *heading;
} counted[] = {
	{ "instructions", "instructions" },
	{ "cycles", "cycles" },
	{ "ipc", "IPC" },
	{ "llc_misses", "LLC misses" },
	{ "page_faults", "faults" },
	{ "branch_misses", "branch misses" },
	{ "context_switches", "switches" },
	{ "task_clock_ns", "CPU ns" },
	{ "intervals", "intervals" },
};
#define COUNTED_SHORT 5

/* The one column that is no member. */
static const struct result_column error_column = {
	.key = "error",
	.heading = "error",
	.kind = COLUMN_NUMBER,
	.shown = SHOWN_ERROR,
};

static const struct result_column *find_column(const char *key)
{
	const struct result_column *c = result_columns;

	while (c->key && strcmp(c->key, key) != 0)
		c++;
	return c->key ? c : &error_column;
}

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

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

/* In --wide the value beside it has the unit for both. */
static char *interval(const struct result *r, bool wide)
{
	char lo[UNITS_MAX], hi[UNITS_MAX], *text = NULL;
	const char *shown;
	double per;

	if (r->status != RESULT_OK || r->states || !isfinite(r->ci95[0]))
		return NULL;
	per = units_scale(r->value, r->unit, &shown);
	if (wide || !shown || !strcmp(shown, "1"))
		shown = "";
	if (asprintf(&text, "%s..%s%s%s", units_number(lo, r->ci95[0] / per),
		     units_number(hi, r->ci95[1] / per), *shown ? " " : "",
		     shown) < 0)
		return NULL;
	return text;
}

/* Return: what is to stand before the next. */
static const char *put_evidence(FILE *f, const char *sep, const char *key,
				const json_t *v)
{
	const json_t *seen = json_object_get(v, "seen");
	char a[UNITS_MAX], b[UNITS_MAX];
	double ends[2];

	if (json_is_number(seen))
		fprintf(f, "%s%s %.0f/%.0f", sep, key, json_number_value(seen),
			json_number_value(json_object_get(v, "expected")));
	else if (json_is_string(v))
		fprintf(f, "%s%s %s", sep, key, json_string_value(v));
	else if (json_is_number(v))
		fprintf(f, "%s%s %s", sep, key,
			units_number(a, json_number_value(v)));
	else if (!json_unpack((json_t *)v, "[FF!]", &ends[0], &ends[1]))
		fprintf(f, "%s%s %s..%s", sep, key, units_number(a, ends[0]),
			units_number(b, ends[1]));
	else
		return sep;
	return ", ";
}

static char *note(const struct result *r)
{
	char *text = NULL;
	const char *key, *sep = "";
	size_t len;
	FILE *f = open_memstream(&text, &len);
	json_t *v;

	if (!f)
		return NULL;
	if (r->status != RESULT_OK)
		fprintf(f, "%s: %s",
			r->status == RESULT_BELOW_RESOLUTION
				? "below resolution"
				: result_status_name(r->status),
			r->reason ? r->reason : "no reason was given");
	else
		json_object_foreach(r->evidence, key, v) sep =
			put_evidence(f, sep, key, v);
	fclose(f);
	if (text && len > NOTE_MOST)
		text[NOTE_MOST] = '\0';
	return text;
}

static char *count(uint64_t n)
{
	char *text = NULL;

	return asprintf(&text, "%" PRIu64, n) < 0 ? NULL : text;
}

static char *amount(double x, const char *unit)
{
	char text[UNITS_MAX];

	return isfinite(x) ? strdup(units_format(text, x, unit)) : NULL;
}

/* Without a value a row has its name, why, and how many invocations say so. */
static char *wide_cell(const struct result *r, const struct result_column *c)
{
	/* Percentiles are of events; of batches they say nothing about
	 * operations. */
	const bool events = r->iters == 1 && r->samples > 0;
	const void *at = (const char *)r + c->offset;
	const double *x = at;
	char text[UNITS_MAX];

	switch (c->shown) {
	case SHOWN_NAME:
		return strdup(r->name);
	case SHOWN_NOTE:
		return note(r);
	case SHOWN_COUNT:
		return count(*(const uint64_t *)at);
	default:
		if (r->status != RESULT_OK)
			return NULL;
	}
	switch (c->shown) {
	case SHOWN_TEXT:
		return copy_of(*(char *const *)at);
	case SHOWN_VALUE:
		return value(r);
	case SHOWN_INTERVAL:
		return interval(r, true);
	case SHOWN_ERROR:
		return isfinite(r->expected) && isfinite(r->value) &&
				       r->expected != 0
			       ? strdup(units_error(text,
						    r->value / r->expected - 1))
			       : NULL;
	case SHOWN_EVENT:
		return events ? amount(*x, r->unit) : NULL;
	case SHOWN_UNIT:
		return amount(*x, r->unit);
	case SHOWN_NS:
		return amount(*x, "ns");
	case SHOWN_NUMBER:
		return isfinite(*x) ? strdup(units_number(text, *x)) : NULL;
	case SHOWN_SAMPLES:
		return r->samples ? count(r->samples) : NULL;
	default:
		return NULL;
	}
}

static char *short_cell(const struct result *r, const struct result_column *c)
{
	switch (c->shown) {
	case SHOWN_NAME:
		return strdup(*r->name ? r->name : "-");
	case SHOWN_VALUE:
		return value(r);
	case SHOWN_INTERVAL:
		return interval(r, false);
	default:
		return r->status <= RESULT_BELOW_RESOLUTION ? copy_of(r->grade)
							    : NULL;
	}
}

static void put_error(FILE *f, const struct result *r)
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

/* Line feeds in @text become blanks: where lines end is decided here. */
static char *flat(char *text)
{
	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
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
	put_error(f, r);
	fflush(f);
	if (doubt)
		fprintf(f, "%s%s", len ? "; " : "", doubt);
	free(doubt);
	fflush(f);
	put_aside(f, r, len ? "; " : "");
	fclose(f);
	return flat(text);
}

/* Where it was measured. */
static void put_cpu(FILE *f, const struct result *r)
{
	if (r->cpu >= 0)
		fprintf(f, ", CPU %" PRId64, r->cpu);
	else if (r->cpu == RESULT_CPUS_DIFFER)
		fputs(", the process runs were on different CPUs (was the "
		      "cpuset changed?)",
		      f);
	else
		fputs(", bound to no CPU", f);
}

static int heading(FILE *f, const char *title, const struct result *r,
		   bool wide)
{
	char tsc[UNITS_MAX], core[UNITS_MAX], *text[2] = { 0 };
	size_t len;
	FILE *m = open_memstream(&text[1], &len);

	if (!m ||
	    (title && asprintf(&text[0], "%s: %s", r->benchmark, title) < 0)) {
		if (m)
			fclose(m);
		free(text[1]);
		return -ENOMEM;
	}
	fprintf(m, "timer %s, counter %s, core %s", r->timer ? r->timer : "-",
		units_format(tsc, r->tsc_hz, "Hz"),
		units_format(core, r->core_hz, "Hz"));
	put_cpu(m, r);
	fprintf(m, ", policy %s %" PRId64, r->policy ? r->policy : "-",
		r->priority < 0 ? 0 : r->priority);
	fclose(m);
	for (int i = 0; i < 2; i++) {
		if (text[i] && wide)
			fprintf(f, "%s\n", text[i]);
		else if (text[i])
			grid_text(f, flat(text[i]), GRID_GAP);
		free(text[i]);
	}
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
	return 0;
}

static int put_table(FILE *f, const char *title, const struct result *rows,
		     size_t n, bool wide)
{
	const char *const *keys = wide ? of_wide : of_short;
	char sides[COUNT(of_wide)];
	struct grid g;
	int err = grid_new(&g, n + 1, wide ? COUNT(of_wide) : COUNT(of_short));

	for (size_t k = 0; !err && k < g.columns; k++) {
		const struct result_column *c = find_column(keys[k]);

		sides[k] = c->kind == COLUMN_JSON ||
					   (wide && c->kind == COLUMN_TEXT)
				   ? 'l'
				   : 'r';
		grid_row(&g, 0)[k] = strdup(c->heading);
		for (size_t i = 0; i < n; i++)
			grid_row(&g, i + 1)[k] = wide ? wide_cell(&rows[i], c)
						      : short_cell(&rows[i], c);
	}
	for (size_t i = 0; !err && !wide && i < n; i++) {
		g.remark[i + 1] = remark(&rows[i]);
		if (!g.remark[0] && g.remark[i + 1] && *g.remark[i + 1])
			g.remark[0] = strdup("remark");
		err = *grid_row(&g, i + 1) ? 0 : -ENOMEM;
	}
	if (!err)
		err = heading(f, title, rows, wide);
	if (!err)
		grid_put(f, &g, sides, wide ? GRID_ANY : GRID_LINE);
	grid_free(&g);
	return err;
}

/* One line for each reason why an event is unknown, with all that it is the
 * reason of.  Bounds differ from row to row and say little: they are left to
 * JSON. */
static void put_unknown(FILE *f, json_t *unknown)
{
	json_t *lines = json_object(), *why, *events;
	const char *event, *reason;
	char *text;

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
	{
		if (asprintf(&text, "%s: %s", json_string_value(events),
			     reason) < 0)
			break;
		grid_text(f, text, GRID_GAP);
		free(text);
	}
	json_decref(lines);
}

/* The table of what was counted, below that of the times. */
static int put_counts(FILE *f, const struct result *rows, size_t n, bool wide)
{
	const size_t columns = wide ? COUNT(counted) : COUNTED_SHORT;
	const struct result *first = NULL;
	const char *scope;
	struct grid g;
	int err = grid_new(&g, n + 1, columns + 1);

	if (err)
		return err;
	*g.cell = strdup("of one operation");
	for (size_t k = 0; k < columns; k++)
		g.cell[k + 1] = strdup(counted[k].heading);
	g.rows = 1;
	for (size_t i = 0; i < n; i++) {
		char text[UNITS_MAX], **row = grid_row(&g, g.rows);

		if (!rows[i].counters)
			continue;
		g.rows++;
		first = first ? first : &rows[i];
		*row = strdup(rows[i].name);
		for (size_t k = 0; k < columns; k++) {
			const json_t *v = json_object_get(rows[i].counters,
							  counted[k].key);

			if (json_is_integer(v))
				row[k + 1] =
					count((uint64_t)json_integer_value(v));
			else if (json_is_real(v))
				row[k + 1] = strdup(
					units_number(text, json_real_value(v)));
		}
	}
	if (first) {
		scope = json_string_value(
			json_object_get(first->counters, "scope"));
		fprintf(f, "\ncounted of the thread that measures, %s:\n",
			scope ? scope : "-");
		grid_put(f, &g, "lrrrrrrrrr", wide ? GRID_ANY : GRID_LINE);
		put_unknown(f, json_object_get(first->counters, "unknown"));
	}
	grid_free(&g);
	return 0;
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
		err = put_table(f, title, rows, n, format == OUT_WIDE);
		if (!err)
			err = put_counts(f, rows, n, format == OUT_WIDE);
	} else if (format == OUT_CSV || format == OUT_JSON) {
		for (size_t i = 0; !err && i < n; i++)
			err = format == OUT_CSV ? out_csv_row(f, &rows[i], !i)
						: json_row(f, &rows[i]);
	}
	if (!err && (fflush(f) || ferror(f)))
		err = errno ? -errno : -EIO;
	return err;
}
