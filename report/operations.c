/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "rowtable.h"
#include "text.h"

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
	struct ratio r = { NAN, NAN, NAN };
	const char *sign = text_split(&test, ' ');
	double bound;

	if (a)
		r = (struct ratio) { a->all.value, a->all.ci95[0],
				     a->all.ci95[1] };
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

const char *limiters_say(const struct operation *op, const struct rowtable *t,
			 const struct run *run, const struct row *row)
{
	const struct rowtable_line *l = NULL;
	double x = NAN;

	if (!row || row->all.status > RESULT_BELOW_RESOLUTION)
		return NULL;
	if (op->limit)
		return op->limit;
	while ((l = rowtable_of(t, "limit", op->id, l))) {
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
