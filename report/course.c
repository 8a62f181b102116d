/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc.h"
#include "grade.h"
#include "input.h"
#include "load.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"

#define AMOUNTS                              \
	"operation|base hardware>|software " \
	"overhead>|predicted>|measured>|standard deviation>|"
#define NONE "–" /* in a cell that can have no figure */

static void find_predictions(struct course *c, const char *root)
{
	const struct run *run = c->run;
	const double hz = run_number(run->machine, "timer.core_hz");
	const char *path = text_format("%s/predictions.ini", run->dir);
	int err;

	if (access(path, F_OK))
		path = text_format("%s/predictions.ini", root);
	err = predictions_read(&c->ops, path, hz, run->notes);
	c->predicted = err >= 0;
	if (err < 0 && err != -ENOENT)
		notes_format(run->notes, NULL, "%s: %s", path,
			     input_error(-err));
}

void course_read(struct course *c, struct run *run, const char *root)
{
	*c = (struct course) { .run = run };
	rowtable_read(&run->suite, root, run->notes);
	operations_read(&c->ops, &run->suite);
	if (c->ops.n)
		find_predictions(c, root);
	estimates_make(&c->ops, run);
}

static const char *amount(double x, const char *unit)
{
	return isfinite(x) ? text_units(x, unit) : NONE;
}

/* Whether the student has predicted @op. */
static bool is_written(const struct operation *op)
{
	return isfinite(op->said[PREDICTED]);
}

double course_predicted(const struct course *c, size_t i)
{
	const struct operation *op = &c->ops.v[i];

	return is_written(op) ? op->said[PREDICTED] : op->rule[PREDICTED];
}

/* A part of the prediction, or else of what the rule gives. */
static const char *predicted(const struct operation *op, size_t part)
{
	const double x = is_written(op) ? op->said[part] : op->rule[part];
	const char *text = amount(x, op->unit);

	return !is_written(op) && isfinite(x) ? text_format("est. %s", text)
					      : text;
}

/* How many times the prediction was measured. */
static const char *times(const struct result *r, double predicted)
{
	struct states s;

	if (!r || !isfinite(predicted))
		return NONE;
	return states_of(&s, r) ? text_format("%.3g or %.3g", s.low / predicted,
					      s.high / predicted)
				: text_format("%.3g", r->value / predicted);
}

/* Its name, and what stood in for another machine or for this one's memory. */
static const char *label(const struct operation *op, const struct row *row)
{
	const json_t *params = row ? row->all.params : NULL;
	const char *net = run_text(params, "net");
	const char *where = run_text(params, "where");
	const char *scope = run_text(params, "scope");

	if (text_same(net, "veth") || text_same(where, "veth"))
		return text_format("%s (through veth, to this machine)",
				   op->label);
	if (row && text_same(scope, "group") && row->all.expected > 0)
		return text_format("%s (of a control group limited to %s)",
				   op->label,
				   text_units(row->all.expected, "B"));
	return op->label;
}

const char *course_limiter(const struct course *c, const struct operation *op,
			   const struct row *row)
{
	return op->limiter ? op->limiter : limiters_say(op, c->run, row);
}

static void fill_row(struct table *t, const struct course *c, size_t i)
{
	const struct operation *op = &c->ops.v[i];
	const struct row *row = operations_row(op, c->run);
	const bool valued = row && row->all.status == RESULT_OK;
	const struct result *r = valued ? &row->all : NULL;
	const char *interval = r ? tables_interval(r) : NULL;

	table_line(t, row ? tables_mark(&row->all) : "", label(op, row),
		   predicted(op, BASE), predicted(op, SOFTWARE),
		   predicted(op, PREDICTED),
		   row ? tables_value(&row->all) : "not measured",
		   amount(r ? r->stddev : NAN, op->unit),
		   interval ? interval : NONE, times(r, course_predicted(c, i)),
		   course_limiter(c, op, row), r ? r->grade : NULL);
}

void course_table(struct table *t, const struct course *c, const char *section,
		  const char *ids)
{
	table_begin(t, AMOUNTS "95 % interval>|measured / predicted>|limiter|"
			       "grade");
	for (size_t i = 0; i < c->ops.n; i++)
		if ((!section || !strcmp(section, c->ops.v[i].section)) &&
		    (!ids || text_glob(ids, c->ops.v[i].id)))
			fill_row(t, c, i);
	t->caption = section ? section : "All operations";
}

const char *course_reason(const struct operation *op)
{
	const char *rule = is_written(op) ? NULL : op->words;

	if (rule && isfinite(op->rule[PREDICTED]))
		rule = text_format("est.: %s", rule);
	return rule ? text_join(op->why, "; ", rule) : op->why;
}

/* The same operations in the report of 2017, beside this run's figures. */
static void course_2017(struct table *t, const struct course *c)
{
	const size_t n = sizeof(c->ops.v->of_2017) / sizeof(char *);

	table_begin(t, AMOUNTS "this run>");
	for (size_t i = 0; i < c->ops.n; i++) {
		const struct operation *op = &c->ops.v[i];
		const struct row *row = operations_row(op, c->run);

		if (!op->of_2017[PREDICTED] && !op->of_2017[PREDICTED + 1])
			continue;
		table_line(t, "", label(op, row));
		for (size_t j = 0; j < n; j++)
			table_cell(t, 1 + j,
				   op->of_2017[j] ? op->of_2017[j] : "N/A");
		table_cell(t, 1 + n,
			   row ? tables_value(&row->all) : "not measured");
	}
	t->caption = prose("course-2017", NULL);
}

static void put_tables(struct doc *d, const struct course *c)
{
	const char *section = NULL;
	struct table t;

	for (size_t i = 0; i < c->ops.n; i++) {
		if (text_same(section, c->ops.v[i].section))
			continue;
		section = c->ops.v[i].section;
		course_table(&t, c, section, NULL);
		doc_table(d, &t, NULL);
	}
	table_begin(&t, "operation|why this was predicted");
	for (size_t i = 0; i < c->ops.n; i++)
		if (course_reason(&c->ops.v[i]))
			table_line(&t, "", c->ops.v[i].label,
				   course_reason(&c->ops.v[i]));
	if (t.nrows) {
		doc_fold(d, "reasons", "Why this was predicted");
		doc_table(d, &t, NULL);
		doc_unfold(d);
	}
	doc_fold(d, "report-2017", "The report of 2017");
	course_2017(&t, c);
	doc_table(d, &t, NULL);
	doc_unfold(d);
}

void course_write(struct doc *d, const struct course *c)
{
	const char *profile = run_text(c->run->meta, "profile");

	if (!c->ops.n)
		return;
	doc_heading(d, "coursework", "Predicted and measured");
	doc_prose(d, "course");
	if (!c->predicted)
		doc_prose(d, "course-unpredicted");
	if (text_same(profile, "quick"))
		doc_prose(d, "course-quick");
	put_tables(d, c);
	doc_heading(d, "comparisons", "Comparisons");
	doc_prose(d, "comparisons");
	comparisons_write(d, c, NULL);
}

/* Whether all is there that the rest of the report needs. */
static bool is_usable(const struct operation *op)
{
	return op->id && op->section && op->label && op->benchmark &&
	       op->unit && text_glob("ns B B/s ns/B", op->unit);
}

void operations_read(struct operations *ops, const struct rowtable *t)
{
	const struct rowtable_line *line = NULL;

	*ops = (struct operations) { 0 };
	while ((line = rowtable_next(t, "course", line))) {
		struct operation op;
		const char **const slots[] = {
			&op.id,		&op.section,	&op.label,
			&op.benchmark,	&op.cases,	&op.unit,
			&op.of_2017[0], &op.of_2017[1], &op.of_2017[2],
			&op.of_2017[3], &op.of_2017[4], &op.limit,
		};

		op = (struct operation) { .said = { NAN, NAN, NAN },
					  .rule = { NAN, NAN, NAN } };
		for (size_t i = 0; i < line->n; i++)
			*slots[i] = rowtable_given(line->field[i]);
		if (!is_usable(&op))
			continue;
		ops->v = text_grow(ops->v, ops->n, sizeof(op));
		ops->v[ops->n++] = op;
	}
}

struct operation *operations_find(const struct operations *ops, const char *id)
{
	for (size_t i = 0; i < ops->n; i++)
		if (!strcmp(ops->v[i].id, id))
			return &ops->v[i];
	return NULL;
}

const struct row *operations_row(const struct operation *op,
				 const struct run *run)
{
	const struct row *row =
		op->cases ? run_pick(run, op->benchmark, op->cases) : NULL;
	const char *unit = row ? row->all.unit : NULL;

	return unit && strcmp(unit, op->unit) != 0 ? NULL : row;
}

/* The fields of a `limit` line behind the operation. */
enum { CASES = 1, TEST, TEXT, FIGURE };

/* The limits that hold without a look at figures. */
static void put_limits(FILE *f, const struct operation *op,
		       const struct rowtable *t)
{
	const struct rowtable_line *l = NULL;

	if (op->limit)
		fprintf(f, "# usually limited by: %s\n", op->limit);
	while ((l = rowtable_of(t, "limit", op->id, l))) {
		const char *cases = rowtable_given(l->field[CASES]);

		if (!rowtable_given(l->field[TEST]))
			fprintf(f, "# usually limited by: %s%s%s%s\n",
				l->field[TEXT], cases ? " (" : "",
				cases ? cases : "", cases ? ")" : "");
	}
}

void operations_template(FILE *f, const struct operations *ops,
			 const struct rowtable *t)
{
	const char *section = "";

	fputs(predictions_ini, f);
	for (size_t i = 0; i < ops->n; i++) {
		const struct operation *op = &ops->v[i];

		if (strcmp(section, op->section) != 0)
			fprintf(f, "\n# ---- %s ----\n", op->section);
		section = op->section;
		fprintf(f, "\n# %s (%s)\n", op->label,
			!strcmp(op->unit, "ns")	    ? "ns, us, ms, s, cycles"
			: !strcmp(op->unit, "B")    ? "KiB, MiB, GiB, MB, GB"
			: !strcmp(op->unit, "ns/B") ? "ns/B, us/B"
						    : "MB/s, GB/s, Mbit/s, "
						      "Gbit/s");
		put_limits(f, op, t);
		fprintf(f,
			"[%s]\nbase =\nsoftware =\npredicted =\nwhy =\n"
			"limiter =\n",
			op->id);
	}
}

/* The row that @glob picks, "this" being @row; NULL if it has no value. */
static const struct row *figure(const struct operation *op,
				const struct run *run, const struct row *row,
				const char *glob)
{
	if (strcmp(glob, "this") != 0)
		row = run_pick(run, op->benchmark, glob);
	return row && row->all.status == RESULT_OK ? row : NULL;
}

/* Whether "A > x", "A / B > x" or the same with < holds of the whole 95 %
 * interval; *@x is what was compared. */
static bool holds(const struct operation *op, const struct run *run,
		  const struct row *row, const char *test, double *x)
{
	const struct row *a = figure(op, run, row, text_split(&test, ' '));
	struct ratio r = { NAN, NAN, NAN, NAN, NAN };
	const char *sign = text_split(&test, ' ');
	double bound;

	if (a)
		r = (struct ratio) { a->all.value, a->all.ci95[0],
				     a->all.ci95[1], NAN, NAN };
	if (test && *sign == '/') {
		r = comparisons_ratio(a, figure(op, run, row,
						text_split(&test, ' ')));
		sign = text_split(&test, ' ');
	}
	bound = test ? strtod(test, NULL) : NAN;
	*x = r.value;
	/* No comparison with NAN is true. */
	return sign && *sign == '<' ? bound > r.high : r.low > bound;
}

const char *limiters_say(const struct operation *op, const struct run *run,
			 const struct row *row)
{
	const struct rowtable_line *l = NULL;
	double x = NAN;

	if (!row || row->all.status > RESULT_BELOW_RESOLUTION)
		return NULL;
	if (op->limit)
		return op->limit;
	while ((l = rowtable_of(&run->suite, "limit", op->id, l))) {
		const char *cases = rowtable_given(l->field[CASES]);
		const char *test = rowtable_given(l->field[TEST]);

		if (cases && !text_glob(cases, row->all.name))
			continue;
		if (!test)
			return l->field[TEXT];
		if (holds(op, run, row, test, &x))
			return text_format("%s (%.*f %s)", l->field[TEXT],
					   x < 10 ? 1 + (x < 1) : 0, x,
					   l->field[FIGURE]);
	}
	return NULL;
}
