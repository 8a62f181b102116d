/* SPDX-License-Identifier: MIT */
#include "export_formats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

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

void export_gobench(FILE *f, const struct run *run)
{
	const char *cpu = run_text(run->machine, "cpu.model");

	fputs("goos: linux\ngoarch: amd64\npkg: oscost\ncpu: ", f);
	text_plain(f, cpu ? cpu : "unknown");
	fputc('\n', f);
	for (size_t i = 0; i < run->nsections; i++)
		for (size_t j = 0; j < run->sections[i].n; j++)
			put_go_row(f, &run->rows[run->sections[i].rows[j]]);
}

/* What a family of metrics shows of each row. */
static const struct family {
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
	{ "oscost_grade", NULL, "how quiet it was: 1 is A, 4 is D", NULL, 1,
	  GRADE },
};

static void put_label(FILE *f, const char *name, const char *value)
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

static double shown(const struct family *m, const struct result *r)
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
static void put_sample(FILE *f, const struct family *m, const struct result *r)
{
	double v = shown(m, r);

	if (!isfinite(v))
		return;
	fprintf(f, "%s{", m->name);
	put_label(f, "benchmark", r->benchmark);
	fputc(',', f);
	put_label(f, "case", r->name);
	fprintf(f, "} %.12g\n", v);
}

void export_openmetrics(FILE *f, const struct run *run)
{
	for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
		const struct family *m = &families[k];

		fprintf(f, "# TYPE %s gauge\n", m->name);
		if (m->unit)
			fprintf(f, "# UNIT %s %s\n", m->name, m->unit);
		fprintf(f, "# HELP %s %s\n", m->name, m->help);
		for (size_t i = 0; i < run->nsections; i++)
			for (size_t j = 0; j < run->sections[i].n; j++)
				put_sample(f, m,
					   &run->rows[run->sections[i].rows[j]]
						    .all);
	}
	fputs("# EOF\n", f);
}

static int append_point(json_t *list, const struct result *r)
{
	char *name = text_format("%s %s", r->benchmark, r->name);
	char *extra = text_format("n %llu, grade %s", (unsigned long long)r->n,
				  r->grade ? r->grade : "unknown");
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

int export_dashboard(FILE *f, const struct run *run, bool bigger)
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
