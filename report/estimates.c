/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <string.h>

#include "text.h"

enum { ID, CONDITION, BASE, SOFTWARE, WORDS, FIELDS };

/* A field's value; NAN if it is "-", or with what it lacks, unless something
 * lacked already. */
static double field_value(const char *field, const struct formula_world *w,
			  const char **missing)
{
	if (*missing || !strcmp(field, "-"))
		return NAN;
	return formula_value(field, w, missing);
}

/* The estimate by one line, whose condition may not hold; without one the
 * words say what the first such line lacks. */
static void try_line(struct estimate *one, const struct operation *op,
		     const char *const *field, const struct formula_world *w)
{
	const char *missing = NULL;
	const double holds =
		strcmp(field[CONDITION], "-") != 0
			? field_value(field[CONDITION], w, &missing)
			: 1;
	const double base = field_value(field[BASE], w, &missing);
	const double software = field_value(field[SOFTWARE], w, &missing);

	if (!missing && holds > 0) {
		one->words = formula_text(field[WORDS], w);
		one->base = base;
		one->software = software;
		one->predicted = predictions_whole(base, software, op->unit);
	} else if (missing && !one->words) {
		one->words =
			text_format("no estimate, which needs %s", missing);
	}
}

/* Return: whether there is an estimate of @op now that was not there. */
static bool estimate(struct estimate *one, const struct operation *op,
		     const struct rowtable *table,
		     const struct formula_world *w)
{
	const struct rowtable_line *line = NULL;

	if (isfinite(one->predicted))
		return false;
	one->words = NULL;
	while (!isfinite(one->predicted) &&
	       (line = rowtable_next(table, "estimate", line)))
		if (line->n == FIELDS && !strcmp(line->field[ID], op->id))
			try_line(one, op, line->field, w);
	return isfinite(one->predicted);
}

void estimates_make(struct estimates *e, const struct rowtable *table,
		    const struct operations *ops, const struct run *run)
{
	double *predicted = text_alloc(ops->n, sizeof(*predicted));
	const struct formula_world w = { run, ops, predicted, table, NULL };
	bool more = true;

	e->n = ops->n;
	e->v = text_alloc(ops->n, sizeof(*e->v));
	for (size_t i = 0; i < ops->n; i++)
		e->v[i] = (struct estimate) { NAN, NAN, NAN, NULL };
	for (size_t i = 0; i < ops->n; i++)
		predicted[i] = NAN;
	/* Until none has become possible by another. */
	while (more) {
		more = false;
		for (size_t i = 0; i < ops->n; i++) {
			if (!estimate(&e->v[i], &ops->v[i], table, &w))
				continue;
			predicted[i] = e->v[i].predicted;
			more = true;
		}
	}
}
