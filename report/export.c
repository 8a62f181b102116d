/* SPDX-License-Identifier: MIT */
#include "export.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "err.h"
#include "export_ci.h"
#include "grades.h"
#include "out.h"
#include "text.h"

int export_csv(FILE *f, const struct run *run)
{
	bool first = true;

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			out_csv_row(f, &run->rows[s->rows[j]].all, first);
			first = false;
		}
	}
	return 0;
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

static bool is_unit(const struct result *r, const char *unit)
{
	return r->unit && !strcmp(r->unit, unit);
}

/* A word without blanks; @cut becomes @by, other odd bytes an underscore. */
static void put_word(FILE *f, const char *s, char cut, char by)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (*s == cut)
			fputc(by, f);
		else
			fputc(c <= ' ' || c == 0x7f ? '_' : c, f);
	}
}

static void put_go_row(FILE *f, const struct row *row)
{
	const struct result *r = &row->all;
	char first = r->benchmark[0];
	uint64_t iters = r->iters ? r->iters : 1;

	if (r->status != RESULT_OK)
		return;
	for (size_t i = 0; i < row->n; i++) {
		if (!isfinite(row->values[i]))
			continue;
		fputs("Benchmark", f);
		if (first >= 'a' && first <= 'z')
			first = (char)(first - 'a' + 'A');
		if (first > ' ')
			fputc(first, f);
		put_word(f, first ? r->benchmark + 1 : "", '/', '_');
		if (*r->name)
			fputc('/', f);
		put_word(f, r->name, ',', '/');
		fprintf(f, " %llu %.12g ", (unsigned long long)iters,
			row->values[i]);
		put_word(f,
			 is_unit(r, "ns")      ? "ns/op"
			 : r->unit && *r->unit ? r->unit
					       : "1",
			 '\0', '_');
		fputc('\n', f);
	}
}

/* Go benchmark format, a line for each invocation, so that benchstat can make
 * its statistics.  Source: golang.org/design/14313-benchmark-format */
static int export_gobench(FILE *f, const struct run *run)
{
	const char *cpu = run_text(run->machine, "cpu.model");
	const char *arch = run_text(run->machine, "kernel.architecture");

	fputs("goos: linux\ngoarch: ", f);
	text_plain(f, !arch			 ? "unknown"
		      : !strcmp(arch, "x86_64")	 ? "amd64"
		      : !strcmp(arch, "aarch64") ? "arm64"
						 : arch);
	fputs("\npkg: oscost\ncpu: ", f);
	text_plain(f, cpu ? cpu : "unknown");
	fputc('\n', f);
	for (size_t i = 0; i < run->nsections; i++)
		for (size_t j = 0; j < run->sections[i].n; j++)
			put_go_row(f, &run->rows[run->sections[i].rows[j]]);
	return 0;
}

/* What a family of metrics shows of each row. */
static const struct export_family {
	const char *name, *unit, *help;
	const char *of; /* unit of the rows; NULL: any */
	double factor;
	enum { VALUE, LOW, HIGH, GRADE } what;
} families[] = {
	{ "oscost_cost_seconds", "seconds", "cost of the operation", "ns", 1e-9,
	  VALUE },
	{ "oscost_cost_low_seconds", "seconds", "low end of its interval", "ns",
	  1e-9, LOW },
	{ "oscost_cost_high_seconds", "seconds", "high end of its interval",
	  "ns", 1e-9, HIGH },
	{ "oscost_rate_bytes_per_second", "bytes_per_second",
	  "bytes moved in a second", "B/s", 1, VALUE },
	{ "oscost_rate_low_bytes_per_second", "bytes_per_second",
	  "low end of its interval", "B/s", 1, LOW },
	{ "oscost_rate_high_bytes_per_second", "bytes_per_second",
	  "high end of its interval", "B/s", 1, HIGH },
	{ "oscost_size_bytes", "bytes", "a size", "B", 1, VALUE },
	{ "oscost_ratio", NULL, "a ratio", "1", 1, VALUE },
	{ "oscost_grade", NULL, "how far another run may lie: 1 is A, 4 is D",
	  NULL, 1, GRADE },
};

void export_label(FILE *f, const char *name, const char *value)
{
	fprintf(f, "%s=\"", name);
	for (; value && *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c == '\\' || c == '"')
			fputc('\\', f);
		fputc(c < ' ' || c == 0x7f ? '?' : c, f);
	}
	fputc('"', f);
}

static double shown(const struct export_family *m, const struct result *r)
{
	if (r->status != RESULT_OK || (m->of && !is_unit(r, m->of)))
		return NAN;
	switch (m->what) {
	case VALUE:
		return r->value * m->factor;
	case GRADE:
		if (!r->grade || *r->grade < 'A' || *r->grade > 'D')
			return NAN;
		return 1 + (double)(*r->grade - 'A');
	default:
		return r->ci95[m->what - LOW] * m->factor;
	}
}

/* A grade as a label would begin another series whenever it changes. */
void export_sample(FILE *f, const struct export_family *m,
		   const struct result *r, const char *node)
{
	double v = shown(m, r);

	if (!isfinite(v))
		return;
	fprintf(f, "%s{", m->name);
	if (node) {
		export_label(f, "node", node);
		fputc(',', f);
	}
	export_label(f, "benchmark", r->benchmark);
	fputc(',', f);
	export_label(f, "case", r->name);
	fprintf(f, "} %.12g\n", v);
}

/* Gauges in base units, for the textfile collector of Prometheus'
 * node_exporter.  Source: the OpenMetrics specification 1.0. */
void export_families(FILE *f, export_samples_fn *samples, const void *arg)
{
	for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
		const struct export_family *m = &families[k];

		fprintf(f, "# TYPE %s gauge\n", m->name);
		if (m->unit)
			fprintf(f, "# UNIT %s %s\n", m->name, m->unit);
		fprintf(f, "# HELP %s %s\n", m->name, m->help);
		samples(f, m, arg);
	}
}

static void samples_of_run(FILE *f, const struct export_family *m,
			   const void *arg)
{
	const struct run *run = arg;

	for (size_t i = 0; i < run->nsections; i++)
		for (size_t j = 0; j < run->sections[i].n; j++)
			export_sample(f, m,
				      &run->rows[run->sections[i].rows[j]].all,
				      NULL);
}

static int export_openmetrics(FILE *f, const struct run *run)
{
	export_families(f, samples_of_run, run);
	fputs("# EOF\n", f);
	return 0;
}

static int append_point(json_t *list, const struct result *r)
{
	char *name = text_format("%s %s", r->benchmark, r->name);
	char *extra = text_format("n %llu, grade %s", (unsigned long long)r->n,
				  r->grade ? r->grade : "none");
	json_t *o = json_pack("{s:s, s:s, s:f, s:s}", "name", name, "unit",
			      r->unit ? r->unit : "1", "value", r->value,
			      "extra", extra);
	int err = 0;

	if (o && isfinite(r->ci95[0]) && isfinite(r->ci95[1])) {
		char *range =
			text_format("± %.6g", (r->ci95[1] - r->ci95[0]) / 2);

		err = json_object_set_new(o, "range", json_string(range));
		free(range);
	}
	if (!o || json_array_append_new(list, o))
		err = -1;
	free(extra);
	free(name);
	return err ? -ENOMEM : 0;
}

/* JSON of name, value, unit and range, as github-action-benchmark takes it: the
 * rows of which more is better if @bigger, else the rest. */
static int export_dashboard(FILE *f, const struct run *run, bool bigger)
{
	json_t *list = json_array();
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; !err && j < s->n; j++) {
			const struct result *r = &run->rows[s->rows[j]].all;
			bool more = r->better && !strcmp(r->better, "higher");

			if (r->status == RESULT_OK && more == bigger &&
			    isfinite(r->value))
				err = append_point(list, r);
		}
	}
	if (!err && json_dumpf(list, f, JSON_INDENT(1)))
		err = -ENOMEM;
	fputc('\n', f);
	json_decref(list);
	return err;
}

static int dashboard(FILE *f, const struct run *run)
{
	return export_dashboard(f, run, false);
}

static int dashboard_bigger(FILE *f, const struct run *run)
{
	return export_dashboard(f, run, true);
}

static const struct format {
	const char *name;
	int (*write)(FILE *f, const struct run *run); /* 0 or -ENOMEM */
} formats[] = {
	{ "csv", export_csv },
	{ "json", export_json },
	{ "gobench", export_gobench },
	{ "openmetrics", export_openmetrics },
	{ "dashboard", dashboard },
	{ "dashboard-bigger", dashboard_bigger },
	{ "bencher", export_bencher },
	{ "google", export_google },
	{ "ktap", export_ktap },
	{ "junit", export_junit },
	{ "tsv", NULL }, /* export_tsv(), which has the card, too */
};

static const struct format *find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

int command_export(const char *root, const char *name, const char *dir)
{
	const struct format *format = find(name);
	struct notes notes = { 0 };
	struct card card = { 0 };
	struct run run;
	char *why;
	int err;

	if (!format) {
		warn("--format %s: expected csv, tsv, json, gobench, "
		     "openmetrics, dashboard, dashboard-bigger, bencher, "
		     "google, ktap or junit",
		     name);
		return EXIT_USAGE;
	}
	err = run_load(&run, dir, &notes, &why);
	if (!format->write)
		card_read(&card, root, &notes);
	if (err)
		warn("%s", why);
	else
		grades_earlier(&run);
	if (!err && format->write)
		err = format->write(stdout, &run);
	else if (!err)
		err = export_tsv(stdout, &run, &card);
	for (size_t i = 0; i < notes.n; i++)
		warn("%s", notes.v[i].text);
	free(why);
	card_free(&card);
	run_free(&run);
	notes_free(&notes);
	if (fflush(stdout) || ferror(stdout))
		err = -1;
	return err ? EXIT_FAIL : EXIT_OK;
}
