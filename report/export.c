/* SPDX-License-Identifier: MIT */
#include "export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* The keys of a row that become columns; ci95 becomes two. */
static const char *const keys[] = {
	"benchmark",  "case",	    "status",	  "reason",   "unit",
	"better",     "value",	    "ci95",	  "n",	      "samples",
	"iters",      "min",	    "mean",	  "stddev",   "p50",
	"p90",	      "p99",	    "p999",	  "max",      "cold",
	"ticks",      "cycles",	    "timer",	  "tsc_hz",   "core_hz",
	"estimator",  "cpu",	    "policy",	  "priority", "grade",
	"started_at", "duration_s", "resolution", "quantum",  "at_least",
	"at_most",    "expected",   "baseline",	  "evidence", "set_aside",
	"trend",      "tags",
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

/* To a spreadsheet a text that begins with one of these is a formula. */
static void put_text(FILE *f, const char *s)
{
	char *safe =
		text_format("%s%s", *s && strchr("=+-@\t\r", *s) ? "'" : "", s);

	text_csv(f, safe);
	free(safe);
}

static void put_value(FILE *f, const json_t *v)
{
	char *text;

	if (!v || json_is_null(v))
		return;
	if (json_is_string(v)) {
		put_text(f, json_string_value(v));
		return;
	}
	text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS |
				     JSON_REAL_PRECISION(12));
	text_csv(f, text);
	free(text);
}

static void put_row(FILE *f, const json_t *object)
{
	for (size_t i = 0; i < KEYS; i++) {
		const json_t *v = json_object_get(object, keys[i]);

		if (i)
			fputc(',', f);
		if (!strcmp(keys[i], "ci95")) {
			put_value(f, json_array_get(v, 0));
			fputc(',', f);
			v = json_array_get(v, 1);
		}
		put_value(f, v);
	}
	fputc('\n', f);
}

void export_csv(FILE *f, const struct run *run)
{
	for (size_t i = 0; i < KEYS; i++)
		fprintf(f, "%s%s", i ? "," : "",
			strcmp(keys[i], "ci95") ? keys[i]
						: "ci95_low,ci95_high");
	fputc('\n', f);
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			json_t *o = result_to_json(&run->rows[s->rows[j]].all);

			put_row(f, o);
			json_decref(o);
		}
	}
}

static json_t *or_null(json_t *v)
{
	return v ? json_incref(v) : json_null();
}

int export_json(FILE *f, const struct run *run)
{
	json_t *rows = json_array();
	json_t *all = json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema",
				RESULT_SCHEMA, "machine", or_null(run->machine),
				"run", or_null(run->meta), "noise",
				or_null(run->noise), "rows", rows);
	int err = all ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++)
			if (json_array_append_new(
				    rows,
				    result_to_json(&run->rows[s->rows[j]].all)))
				err = -ENOMEM;
	}
	if (!err && json_dumpf(all, f, JSON_COMPACT | JSON_REAL_PRECISION(15)))
		err = -ENOMEM;
	fputc('\n', f);
	json_decref(all);
	return err;
}
