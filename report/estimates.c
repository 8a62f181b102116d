/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <math.h>
#include <string.h>

#include "text.h"

/* The fields of an `estimate` line. */
enum { ID, CONDITION, BASE_BY, SOFTWARE_BY, WORDS };

/* A field's value; @none if it is "-"; NAN with what it lacks, unless something
 * lacked already. */
static double field_value(const char *field, double none,
			  const struct formula_world *w, const char **missing)
{
	return *missing		       ? NAN
	       : rowtable_given(field) ? formula_value(field, w, missing)
				       : none;
}

/* The estimate by one line, whose condition may not hold; without one the
 * words say what the first such line lacks. */
static void try_line(struct operation *op, const char *const *field,
		     const struct formula_world *w)
{
	const char *missing = NULL;
	const double holds = field_value(field[CONDITION], 1, w, &missing);
	const double base = field_value(field[BASE_BY], NAN, w, &missing);
	const double software =
		field_value(field[SOFTWARE_BY], NAN, w, &missing);

	if (!missing && holds > 0) {
		op->words = formula_text(field[WORDS], w);
		op->rule[BASE] = base;
		op->rule[SOFTWARE] = software;
		predictions_whole(op->rule, op->unit);
	} else if (missing && !op->words) {
		op->words = text_format("no estimate, which needs %s", missing);
	}
}

/* Return: whether there is an estimate of @op now that was not there. */
static bool estimate(struct operation *op, const struct formula_world *w)
{
	const struct rowtable_line *line = NULL;

	if (isfinite(op->rule[PREDICTED]))
		return false;
	op->words = NULL;
	while (!isfinite(op->rule[PREDICTED]) &&
	       (line = rowtable_of(w->table, "estimate", op->id, line)))
		try_line(op, line->field, w);
	return isfinite(op->rule[PREDICTED]);
}

void estimates_make(struct operations *ops, const struct rowtable *table,
		    const struct run *run)
{
	double *predicted = text_alloc(ops->n, sizeof(*predicted));
	const struct formula_world w = { run, ops, predicted, table, NULL };
	bool more = true;

	for (size_t i = 0; i < ops->n; i++)
		predicted[i] = NAN;
	/* Until none has become possible by another. */
	while (more) {
		more = false;
		for (size_t i = 0; i < ops->n; i++) {
			more |= estimate(&ops->v[i], &w);
			predicted[i] = ops->v[i].rule[PREDICTED];
		}
	}
}
