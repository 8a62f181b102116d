/* SPDX-License-Identifier: MIT */
/*
 * A run as a small file that tells nothing of its owner, and which of such
 * files another run is like (results/machines/).
 */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compare.h"
#include "console.h"
#include "err.h"
#include "grades.h"
#include "table.h"
#include "tables.h"
#include "text.h"

#define SCHEMA	   1
#define LEAST_ROWS 5 /* in common: fewer say nothing of a machine */
#define MOST_SHOWN 15

/* The facts of machine.json that are given away, and as what. */
static const struct {
	const char *key, *path;
} facts[] = {
	{ "cpu", "cpu.model" },
	{ "cpus", "cpu.pus" },
	{ "kernel", "kernel.release" },
	{ "os", "os" },
	{ "virtualisation", "hypervisor" },
};

/* A detail says less; a name with a slash in it may be a path. */
static bool is_given(const struct result *r)
{
	return r->status == RESULT_OK && isfinite(r->value) && r->value > 0 &&
	       !(r->tier && !strcmp(r->tier, "detail")) &&
	       !strchr(r->name, '/');
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *rows_of(const struct run *run)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;

		if (is_given(r))
			json_array_append_new(
				rows,
				json_pack("{s:s, s:s, s:s*, s:s*, s:o, s:[o, "
					  "o], s:s*}",
					  "benchmark", r->benchmark, "case",
					  r->name, "unit", r->unit, "better",
					  r->better, "value", number(r->value),
					  "ci95", number(r->ci95[0]),
					  number(r->ci95[1]), "grade",
					  r->grade));
	}
	return rows;
}

static int put_contribution(const struct run *run, const void *arg)
{
	const char *text, grade[] = { grades_of_run(run, &text), '\0' };
	json_t *all = json_pack("{s:i}", "schema", SCHEMA);
	int err;

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		const json_t *fact = run_at(run->machine, facts[i].path);

		json_object_set_new(all, facts[i].key,
				    fact ? json_deep_copy(fact) : json_null());
	}
	json_object_set_new(all, "grade",
			    *grade ? json_string(grade) : json_null());
	json_object_set_new(all, "rows", rows_of(run));
	err = json_dumpf(all, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
	putchar('\n');
	return err ? EXIT_FAIL : EXIT_OK;
}

/* A row of the run, and the same of a machine. */
struct match {
	const struct result *here;
	double value, ci95[2], log_cost; /* there; here over there */
};

struct machine {
	json_t *all;
	struct match *v;
	size_t n;
	double distance; /* median of the logs' sizes */
};

static int by_size(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return (fabs(x->log_cost) < fabs(y->log_cost)) -
	       (fabs(x->log_cost) > fabs(y->log_cost));
}

static int by_distance(const void *a, const void *b)
{
	const struct machine *x = a, *y = b;

	return (x->distance > y->distance) - (x->distance < y->distance);
}

static void match_row(struct machine *m, const json_t *row,
		      const struct run *run, const json_t *index)
{
	struct result key = {
		.benchmark = (char *)run_text(row, "benchmark"),
		.name = (char *)run_text(row, "case"),
	};
	const char *unit = run_text(row, "unit");
	const double value = run_number(row, "value");
	const struct row *found;
	struct match *to = &m->v[m->n];
	double cost;

	if (!key.benchmark || !key.name || !unit || !(value > 0))
		return;
	found = compare_find(run, index, &key);
	if (!found || !is_given(&found->all) || !found->all.unit ||
	    strcmp(found->all.unit, unit) != 0)
		return;
	*to = (struct match) { .here = &found->all, .value = value };
	for (size_t i = 0; i < 2; i++) {
		const json_t *end =
			json_array_get(json_object_get(row, "ci95"), i);

		to->ci95[i] =
			json_is_number(end) ? json_number_value(end) : NAN;
	}
	cost = log(found->all.value / value);
	to->log_cost = found->all.better && !strcmp(found->all.better, "higher")
			       ? -cost
			       : cost;
	m->n++;
}

/* Return: whether @path is a machine that has enough of the rows of @run. */
static bool match_machine(struct machine *m, const char *path,
			  const struct run *run, const json_t *index)
{
	json_error_t error;
	const json_t *rows;

	*m = (struct machine) { .all = json_load_file(path, 0, &error) };
	if (!m->all || run_number(m->all, "schema") != SCHEMA) {
		warn("%s: none that report contribute wrote; left out", path);
		return false;
	}
	rows = json_object_get(m->all, "rows");
	m->v = text_alloc(json_array_size(rows) + 1, sizeof(*m->v));
	for (size_t i = 0; i < json_array_size(rows); i++)
		match_row(m, json_array_get(rows, i), run, index);
	qsort(m->v, m->n, sizeof(*m->v), by_size);
	m->distance = m->n ? fabs(m->v[m->n / 2].log_cost) : NAN;
	return m->n >= LEAST_ROWS;
}

static const char *name_of(const json_t *machine)
{
	const char *cpu = run_text(machine, "cpu");
	const char *kernel = run_text(machine, "kernel");
	const char *hypervisor = run_text(machine, "virtualisation");

	return text_format("%s, Linux %s%s%s", cpu ? cpu : "unknown processor",
			   kernel ? kernel : "unknown", hypervisor ? ", " : "",
			   hypervisor ? hypervisor : "");
}

static void put_table(struct table *t)
{
	console_table(stdout, t);
	putchar('\n');
}

static void put_machines(const struct machine *m, size_t n)
{
	struct table t = { 0 };

	table_column(&t, "machine", false);
	table_column(&t, "grade", false);
	table_column(&t, "rows of both", true);
	table_column(&t, "half of them differ by less than", true);
	for (size_t i = 0; i < n; i++) {
		const char *grade = run_text(m[i].all, "grade");

		table_row(&t, "");
		table_cell(&t, 0, name_of(m[i].all));
		table_cell(&t, 1, grade ? grade : "–");
		table_cell(&t, 2, text_format("%zu", m[i].n));
		table_cell(&t, 3, text_percent(expm1(m[i].distance)));
	}
	put_table(&t);
}

/* Intervals that meet may be of one value. */
static bool departs(const struct match *m)
{
	const double *a = m->here->ci95, *b = m->ci95;

	return a[0] > b[1] || a[1] < b[0];
}

static void put_departures(const struct machine *m)
{
	struct table t = { 0 };

	table_column(&t, "operation", false);
	table_column(&t, "here", true);
	table_column(&t, "there", true);
	table_column(&t, "cost here / there", true);
	for (size_t i = 0; i < m->n && t.nrows < MOST_SHOWN; i++) {
		const struct result *r = m->v[i].here;

		if (!departs(&m->v[i]))
			continue;
		table_row(&t, "");
		table_cell(&t, 0, text_format("%s: %s", r->benchmark, r->name));
		table_cell(&t, 1, tables_value(r));
		table_cell(&t, 2, text_units(m->v[i].value, r->unit));
		table_cell(&t, 3, text_format("%.3g", exp(m->v[i].log_cost)));
	}
	if (!t.nrows) {
		puts("No interval lies apart from that of the nearest.");
		return;
	}
	puts("It departs from the nearest most of all, by more than the "
	     "intervals, in:\n");
	put_table(&t);
}

static int put_like(const struct run *run, const void *root)
{
	const char *pattern =
		text_format("%s/results/machines/*.json", (const char *)root);
	json_t *index = compare_index(run);
	struct machine *m;
	glob_t files;
	size_t n = 0;
	int code = EXIT_OK;

	if (glob(pattern, 0, NULL, &files))
		files.gl_pathc = 0;
	m = text_alloc(files.gl_pathc + 1, sizeof(*m));
	for (size_t i = 0; i < files.gl_pathc; i++) {
		if (match_machine(&m[n], files.gl_pathv[i], run, index)) {
			n++;
			continue;
		}
	}
	qsort(m, n, sizeof(*m), by_distance);
	if (n) {
		put_machines(m, n);
		put_departures(&m[0]);
	} else {
		warn("%s: no machine with %d rows of this run", pattern,
		     LEAST_ROWS);
		code = EXIT_FAIL;
	}
	return code;
}

int command_contribute(const char *dir)
{
	return command_of_run(dir, NULL, put_contribution);
}

int command_like(const char *root, const char *dir)
{
	return command_of_run(dir, root, put_like);
}
