/* SPDX-License-Identifier: MIT */
#include "out.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grade.h"
#include "states.h"
#include "units.h"

int out_json_row(FILE *f, const struct result *row)
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

static size_t column_width(char *const *cells, size_t rows, size_t columns,
			   size_t column)
{
	size_t widest = 0;
	bool content = false;

	for (size_t i = 0; i < rows; i++) {
		const char *cell = cells[i * columns + column];
		size_t width = cell ? units_width(cell) : 0;

		if (width > widest)
			widest = width;
		content |= i > 0 && width > 0;
	}
	return content ? widest : 0;
}

static void pad(FILE *f, size_t n)
{
	while (n--)
		fputc(' ', f);
}

void out_table(FILE *f, char *const *cells, size_t rows, size_t columns,
	       const char *left)
{
	size_t *widths = calloc(columns, sizeof(*widths));

	if (!widths)
		return;
	for (size_t k = 0; k < columns; k++)
		widths[k] = column_width(cells, rows, columns, k);
	for (size_t i = 0; i < rows; i++) {
		size_t owed = 0; /* blanks not written yet: none at the end */

		for (size_t k = 0; k < columns; k++) {
			const char *cell = cells[i * columns + k];
			size_t blank;

			if (!widths[k])
				continue;
			cell = cell ? cell : "";
			blank = widths[k] - units_width(cell);
			if (left[k] == 'r')
				owed += blank;
			if (*cell) {
				pad(f, owed);
				owed = 0;
				fputs(cell, f);
			}
			owed += (left[k] == 'r' ? 0 : blank) + 2;
		}
		fputc('\n', f);
	}
	free(widths);
}

enum column {
	C_CASE,
	C_VALUE,
	C_CI,
	C_EXPECTED,
	C_ERROR,
	C_MIN,
	C_MEAN,
	C_STDDEV,
	C_P50,
	C_P90,
	C_P99,
	C_MAX,
	C_COLD,
	C_TICKS,
	C_CYCLES,
	C_DISTANCE,
	C_N,
	C_SAMPLES,
	C_GRADE,
	C_NOTE,
	COLUMNS
};

static const struct {
	const char *heading;
	char side;
} columns[COLUMNS] = {
	[C_CASE] = { "case", 'l' },
	[C_VALUE] = { "value", 'r' },
	[C_CI] = { "95 % interval", 'r' },
	[C_EXPECTED] = { "true", 'r' },
	[C_ERROR] = { "error", 'r' },
	[C_MIN] = { "min", 'r' },
	[C_MEAN] = { "mean", 'r' },
	[C_STDDEV] = { "std dev", 'r' },
	[C_P50] = { "p50", 'r' },
	[C_P90] = { "p90", 'r' },
	[C_P99] = { "p99", 'r' },
	[C_MAX] = { "max", 'r' },
	[C_COLD] = { "cold", 'r' },
	[C_TICKS] = { "ticks", 'r' },
	[C_CYCLES] = { "cycles", 'r' },
	[C_DISTANCE] = { "distance", 'r' },
	[C_N] = { "n", 'r' },
	[C_SAMPLES] = { "samples", 'r' },
	[C_GRADE] = { "grade", 'l' },
	[C_NOTE] = { "evidence", 'l' },
};

static void put_value(char **cell, double x, const char *unit)
{
	char text[UNITS_MAX];

	if (isfinite(x))
		*cell = strdup(units_format(text, x, unit));
}

static void put_number(char **cell, double x)
{
	char text[UNITS_MAX];

	if (isfinite(x))
		*cell = strdup(units_number(text, x));
}

static void put_interval(char **cell, const struct result *r)
{
	char lo[UNITS_MAX], hi[UNITS_MAX], text[3 * UNITS_MAX];
	const char *shown;
	double per;

	if (!isfinite(r->ci95[0]) || r->states)
		return;
	per = units_scale(r->value, r->unit, &shown);
	snprintf(text, sizeof(text), "%s..%s",
		 units_number(lo, r->ci95[0] / per),
		 units_number(hi, r->ci95[1] / per));
	*cell = strdup(text);
}

static void put_error(char **cell, const struct result *r)
{
	char text[UNITS_MAX];

	if (!isfinite(r->expected) || !isfinite(r->value) || r->expected == 0)
		return;
	*cell = strdup(units_error(text, r->value / r->expected - 1));
}

/* Percentiles are of events; of batches they say nothing about operations. */
static bool timed_events(const struct result *r)
{
	return r->iters == 1 && r->samples > 0;
}

static void append(char *text, size_t size, const char *key, const json_t *v)
{
	size_t len = strlen(text);
	const json_t *seen = json_object_get(v, "seen");
	const char *sep = len ? ", " : "";
	char a[UNITS_MAX], b[UNITS_MAX];

	if (json_is_number(seen))
		snprintf(text + len, size - len, "%s%s %.0f/%.0f", sep, key,
			 json_number_value(seen),
			 json_number_value(json_object_get(v, "expected")));
	else if (json_is_string(v))
		snprintf(text + len, size - len, "%s%s %s", sep, key,
			 json_string_value(v));
	else if (json_is_number(v))
		snprintf(text + len, size - len, "%s%s %s", sep, key,
			 units_number(a, json_number_value(v)));
	else if (json_array_size(v) == 2)
		snprintf(text + len, size - len, "%s%s %s..%s", sep, key,
			 units_number(a,
				      json_number_value(json_array_get(v, 0))),
			 units_number(b,
				      json_number_value(json_array_get(v, 1))));
}

static void put_note(char **cell, const struct result *r)
{
	char text[512] = "";
	const char *key;
	json_t *v;

	if (r->status != RESULT_OK) {
		snprintf(text, sizeof(text), "%s: %s",
			 r->status == RESULT_BELOW_RESOLUTION
				 ? "below resolution"
				 : result_status_name(r->status),
			 r->reason ? r->reason : "no reason was given");
	} else {
		json_object_foreach(r->evidence, key, v)
			append(text, sizeof(text), key, v);
	}
	*cell = strdup(text);
}

static void put_row(char **cells, const struct result *r)
{
	bool events = timed_events(r);
	char text[UNITS_MAX], both[STATES_MAX];

	cells[C_CASE] = strdup(r->name);
	put_note(&cells[C_NOTE], r);
	snprintf(text, sizeof(text), "%" PRIu64, r->n);
	cells[C_N] = strdup(text);
	if (r->status != RESULT_OK)
		return;
	if (states_text(both, r))
		cells[C_VALUE] = strdup(both);
	else
		put_value(&cells[C_VALUE], r->value, r->unit);
	put_interval(&cells[C_CI], r);
	put_value(&cells[C_EXPECTED], r->expected, r->unit);
	put_error(&cells[C_ERROR], r);
	put_value(&cells[C_MIN], r->min, r->unit);
	put_value(&cells[C_MEAN], r->mean, r->unit);
	put_value(&cells[C_STDDEV], r->stddev, r->unit);
	if (events) {
		put_value(&cells[C_P50], r->p50, r->unit);
		put_value(&cells[C_P90], r->p90, r->unit);
		put_value(&cells[C_P99], r->p99, r->unit);
		put_value(&cells[C_MAX], r->max, r->unit);
	}
	put_value(&cells[C_COLD], r->cold, r->unit);
	put_number(&cells[C_TICKS], r->ticks);
	put_number(&cells[C_CYCLES], r->cycles);
	put_value(&cells[C_DISTANCE], r->distance_ns, "ns");
	snprintf(text, sizeof(text), "%" PRIu64, r->samples);
	if (r->samples)
		cells[C_SAMPLES] = strdup(text);
	cells[C_GRADE] = strdup(r->grade ? r->grade : "");
}

static void heading(FILE *f, const char *title, const struct result *r)
{
	char tsc[UNITS_MAX], core[UNITS_MAX], *cpu = out_cpu(r);

	if (title)
		fprintf(f, "%s: %s\n", r->benchmark, title);
	fprintf(f, "timer %s, counter %s, core %s%s, ",
		r->timer ? r->timer : "-", units_format(tsc, r->tsc_hz, "Hz"),
		units_format(core, r->core_hz, "Hz"), cpu ? cpu : "");
	free(cpu);
	fprintf(f, "policy %s %" PRId64 "\n", r->policy ? r->policy : "-",
		r->priority < 0 ? 0 : r->priority);
	fprintf(f,
		"value: median over n invocations (fresh processes); interval: "
		"exact, from order statistics; grade: %s\n\n",
		GRADE_WORDS);
}

static int write_wide(FILE *f, const char *title, const struct result *rows,
		      size_t n)
{
	char **cells = calloc((n + 1) * COLUMNS, sizeof(*cells));
	char sides[COLUMNS];

	if (!cells)
		return -ENOMEM;
	for (size_t k = 0; k < COLUMNS; k++) {
		cells[k] = strdup(columns[k].heading);
		sides[k] = columns[k].side;
	}
	for (size_t i = 0; i < n; i++)
		put_row(&cells[(i + 1) * COLUMNS], &rows[i]);
	if (n)
		heading(f, title, &rows[0]);
	out_table(f, cells, n + 1, COLUMNS, sides);
	for (size_t i = 0; i < (n + 1) * COLUMNS; i++)
		free(cells[i]);
	free(cells);
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
	json_t *o = result_to_json(row), *v;
	const char *key, *sep = "";

	if (!o)
		return -ENOMEM;
	if (first) {
		json_object_foreach(o, key, v)
		{
			fprintf(f, "%s%s", sep,
				strcmp(key, "ci95") ? key
						    : "ci95_low,ci95_high");
			sep = ",";
		}
		fputc('\n', f);
		sep = "";
	}
	json_object_foreach(o, key, v)
	{
		fputs(sep, f);
		sep = ",";
		if (!strcmp(key, "ci95")) {
			csv_field(f, json_array_get(v, 0));
			fputc(',', f);
			v = json_array_get(v, 1);
		}
		csv_field(f, v);
	}
	fputc('\n', f);
	json_decref(o);
	return 0;
}

int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n)
{
	int err = 0;

	if (format == OUT_SHORT || format == OUT_WIDE) {
		err = format == OUT_WIDE ? write_wide(f, title, rows, n)
					 : out_short(f, title, rows, n);
		if (!err)
			err = out_counts(f, rows, n, format == OUT_WIDE);
	} else if (format == OUT_CSV) {
		for (size_t i = 0; !err && i < n; i++)
			err = out_csv_row(f, &rows[i], !i);
	} else {
		for (size_t i = 0; !err && i < n; i++)
			err = out_json_row(f, &rows[i]);
	}
	if (!err && (fflush(f) || ferror(f)))
		err = errno ? -errno : -EIO;
	return err;
}
