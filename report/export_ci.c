/* SPDX-License-Identifier: MIT */
#include "export_ci.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "junit.h"
#include "out.h"
#include "pick.h"
#include "text.h"

/* The rows in the order of the report; NULL after the last. */
static const struct row *row_next(const struct run *run, size_t *section,
				  size_t *i)
{
	for (; *section < run->nsections; (*section)++, *i = 0)
		if (*i < run->sections[*section].n)
			return &run->rows[run->sections[*section].rows[(*i)++]];
	return NULL;
}

#define FOR_EACH_ROW(row, run) \
	for (size_t s_ = 0, i_ = 0; ((row) = row_next(run, &s_, &i_));)

static const char *unit_of(const struct result *r)
{
	return r->unit && *r->unit ? r->unit : "1";
}

static int dump(FILE *f, json_t *o, int err)
{
	if (!o || (!err &&
		   json_dumpf(o, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15))))
		err = -ENOMEM;
	fputc('\n', f);
	json_decref(o);
	return err;
}

/* The longest names that Bencher takes; one more would cost it the whole file.
 */
#define BENCHER_NAME	1024
#define BENCHER_MEASURE 64

/* Bencher has measures of its own: latency is one, in ns. */
static const char *measure_of(const char *unit)
{
	static const struct {
		const char *unit, *measure;
	} known[] = {
		{ "ns", "latency" },
		{ "B/s", "bandwidth" },
		{ "B", "size" },
		{ "1", "ratio" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].unit, unit))
			return known[i].measure;
	return unit;
}

int export_bencher(FILE *f, const struct run *run)
{
	json_t *all = json_object();
	const struct row *row;
	int err = 0;

	FOR_EACH_ROW(row, run)
	{
		const struct result *r = &row->all;
		const char *measure = measure_of(unit_of(r));
		char *name;
		json_t *metric;

		if (r->status != RESULT_OK || !isfinite(r->value) ||
		    strlen(measure) > BENCHER_MEASURE ||
		    strlen(r->benchmark) + 1 + strlen(r->name) > BENCHER_NAME)
			continue;
		name = text_format("%s %s", r->benchmark, r->name);
		metric = json_pack("{s:f}", "value", r->value);
		if (isfinite(r->ci95[0]) && isfinite(r->ci95[1]) &&
		    (json_object_set_new(metric, "lower_value",
					 json_real(r->ci95[0])) ||
		     json_object_set_new(metric, "upper_value",
					 json_real(r->ci95[1]))))
			err = -ENOMEM;
		if (json_object_set_new(all, name,
					json_pack("{s:o}", measure, metric)))
			err = -ENOMEM;
		free(name);
	}
	return dump(f, all, err);
}

/* What every google-benchmark file says of its machine, where it is known. */
static json_t *google_context(const struct run *run)
{
	const char *date = run_text(run->meta, "started_at");
	const char *host = run_text(run->machine, "hostname");
	const char *governor = run_text(run->machine, "governor");
	double pus = run_number(run->machine, "cpu.pus");
	double hz = run_number(run->machine, "timer.core_hz");

	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:[], s:[], s:s, s:i}",
			 "date", date ? date : "", "host_name",
			 host ? host : "", "executable", "oscost", "num_cpus",
			 isfinite(pus) ? (int)pus : 0, "mhz_per_cpu",
			 isfinite(hz) ? (int)(hz / 1e6) : 0,
			 "cpu_scaling_enabled",
			 governor && strcmp(governor, "performance") != 0,
			 "caches", "load_avg", "library_build_type", "release",
			 "json_schema_version", 1);
}

/* One invocation.  No processor time is measured, and readers want one. */
static json_t *google_repetition(const struct row *row, size_t i, int family,
				 bool rate)
{
	const struct result *r = &row->all;
	const double x = row->values[i], ns = rate ? 1e9 / x : x;
	char *name = text_format("%s/%s", r->benchmark, r->name);
	json_t *o = json_pack(
		"{s:s, s:i, s:i, s:s, s:s, s:i, s:i, s:i, s:I, s:f, s:f, s:s}",
		"name", name, "family_index", family,
		"per_family_instance_index", 0, "run_name", name, "run_type",
		"iteration", "repetitions", (int)row->n, "repetition_index",
		(int)i, "threads", 1, "iterations",
		(json_int_t)(r->iters ? r->iters : 1), "real_time", ns,
		"cpu_time", ns, "time_unit", "ns");

	if (rate && json_object_set_new(o, "bytes_per_second", json_real(x))) {
		json_decref(o);
		o = NULL;
	}
	free(name);
	return o;
}

int export_google(FILE *f, const struct run *run)
{
	json_t *list = json_array(), *all;
	const struct row *row;
	int err = 0, family = 0;

	FOR_EACH_ROW(row, run)
	{
		const char *unit = unit_of(&row->all);
		const bool rate = !strcmp(unit, "B/s");

		if (row->all.status != RESULT_OK ||
		    (!rate && strcmp(unit, "ns") != 0))
			continue;
		for (size_t i = 0; i < row->n; i++)
			if (isfinite(row->values[i]) &&
			    (!rate || row->values[i] > 0) &&
			    json_array_append_new(
				    list,
				    google_repetition(row, i, family, rate)))
				err = -ENOMEM;
		family++;
	}
	all = json_pack("{s:o, s:o}", "context", google_context(run),
			"benchmarks", list);
	return dump(f, all, err);
}

/* "102.5 ns, 95 % interval 100 to 105, grade A"; a new string, NULL if there is
 * no value. */
static char *words_of(const struct result *r)
{
	char *range = NULL, *words;

	if (!isfinite(r->value))
		return NULL;
	if (isfinite(r->ci95[0]) && isfinite(r->ci95[1]))
		range = text_format(", 95 %% interval %.6g to %.6g", r->ci95[0],
				    r->ci95[1]);
	words = text_format("%.6g %s%s%s%s", r->value, unit_of(r),
			    range ? range : "", r->grade ? ", grade " : "",
			    r->grade ? r->grade : "");
	free(range);
	return words;
}

static const char *reason_of(const struct row *row)
{
	return row->all.reason ? row->all.reason
	       : row->missing  ? row->missing
			       : "no reason was given";
}

/* One line; # begins what is no name. */
static void put_ktap(FILE *f, const char *s)
{
	char *text = text_copy(s);

	for (char *c = text; *c; c++)
		if (*c == '#')
			*c = '_';
	text_plain(f, text);
	free(text);
}

static void put_ktap_row(FILE *f, const struct row *row, size_t number)
{
	const struct result *r = &row->all;
	char *words = words_of(r);

	fprintf(f, "%s %zu ", r->status == RESULT_FAILED ? "not ok" : "ok",
		number);
	put_ktap(f, r->benchmark);
	fputc(' ', f);
	put_ktap(f, r->name);
	fputs(r->status == RESULT_SKIPPED ? " # SKIP " : " # ", f);
	put_ktap(f, r->status == RESULT_OK && words	   ? words
		    : r->status == RESULT_BELOW_RESOLUTION ? "below resolution"
							   : reason_of(row));
	fputc('\n', f);
	free(words);
}

int export_ktap(FILE *f, const struct run *run)
{
	const struct row *row;
	size_t n = 0;

	FOR_EACH_ROW(row, run)
	n++;
	fprintf(f, "KTAP version 1\n1..%zu\n", n);
	n = 0;
	FOR_EACH_ROW(row, run)
	put_ktap_row(f, row, ++n);
	return 0;
}

static enum junit_verdict verdict_of(const struct row *row)
{
	switch (row->all.status) {
	case RESULT_FAILED:
		return JUNIT_FAILED;
	case RESULT_SKIPPED:
		return JUNIT_SKIPPED;
	default:
		return JUNIT_PASSED;
	}
}

int export_junit(FILE *f, const struct run *run)
{
	size_t count[3] = { 0 };
	const struct row *row;

	FOR_EACH_ROW(row, run)
	count[verdict_of(row)]++;
	junit_begin(f);
	junit_suite(f, "oscost", count);
	FOR_EACH_ROW(row, run)
	{
		char *words = words_of(&row->all);

		junit_case(f, &row->all, verdict_of(row), reason_of(row),
			   words);
		free(words);
	}
	junit_suite_end(f);
	junit_end(f);
	return 0;
}

/* What the card calls @row; NULL if it does not stand there. */
static const char *name_on(const struct card *card, const struct run *run,
			   const struct row *row)
{
	for (size_t i = 0; i < card->n; i++) {
		const struct card_entry *e = &card->v[i];

		if (run_pick(run, e->program, e->cases) == row)
			return e->words;
	}
	return NULL;
}

static void put_end(FILE *f, double end)
{
	if (isfinite(end))
		fprintf(f, "%.12g", end);
	fputc('\t', f);
}

static void put_cell(FILE *f, const char *text)
{
	if (text && out_is_formula(text))
		fputc('\'', f);
	text_plain(f, text);
}

int export_tsv(FILE *f, const struct run *run, const struct card *card)
{
	const struct row *row;

	fputs("#benchmark\tcase\tvalue\tlow\thigh\tunit\tbetter\tgrade\twords"
	      "\n",
	      f);
	FOR_EACH_ROW(row, run)
	{
		const struct result *r = &row->all;

		if (r->status != RESULT_OK || !isfinite(r->value))
			continue;
		put_cell(f, r->benchmark);
		fputc('\t', f);
		put_cell(f, r->name);
		fprintf(f, "\t%.12g\t", r->value);
		put_end(f, r->ci95[0]);
		put_end(f, r->ci95[1]);
		put_cell(f, unit_of(r));
		fputc('\t', f);
		put_cell(f, r->better);
		fputc('\t', f);
		put_cell(f, r->grade);
		fputc('\t', f);
		put_cell(f, name_on(card, run, row));
		fputc('\n', f);
	}
	return 0;
}
