/* SPDX-License-Identifier: MIT */
#include "course.h"

#include <string.h>

#include "load.h"
#include "rowtable.h"
#include "text.h"

#define FIELDS	       12
#define LIMITER_FIELDS 5

static const char *copy_said(const char *field)
{
	return strcmp(field, "-") ? field : NULL;
}

static void add_limiter(struct operation *op, const struct limiter *l)
{
	op->limiters =
		text_grow(op->limiters, op->nlimiters, sizeof(*op->limiters));
	op->limiters[op->nlimiters++] = *l;
}

/* In the order of the file. */
static void set_fields(struct operation *op, const char *const *field)
{
	const char **const slots[FIELDS - 1] = {
		&op->id,	&op->section,  &op->label,  &op->benchmark,
		&op->cases,	&op->unit,     &op->base,   &op->software,
		&op->predicted, &op->measured, &op->stddev,
	};

	for (size_t i = 0; i < FIELDS - 1; i++)
		*slots[i] = copy_said(field[i]);
	if (strcmp(field[FIELDS - 1], "-") != 0)
		add_limiter(op,
			    &(struct limiter) { .text = field[FIELDS - 1] });
}

static void read_operation(struct operations *ops,
			   const struct rowtable_line *line)
{
	if (line->n != FIELDS)
		return;
	/* What the rest of the report counts on. */
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(line->field[i], "-"))
			return;
	if (!text_glob("ns B B/s ns/B", line->field[5]))
		return;
	ops->v = text_grow(ops->v, ops->n, sizeof(*ops->v));
	ops->v[ops->n] = (struct operation) { 0 };
	set_fields(&ops->v[ops->n++], line->field);
}

static void read_limiter(struct operations *ops,
			 const struct rowtable_line *line)
{
	const char *const *field = line->field;

	if (line->n != LIMITER_FIELDS)
		return;
	for (size_t i = 0; i < ops->n; i++)
		if (!strcmp(ops->v[i].id, field[0]))
			add_limiter(&ops->v[i], &(struct limiter) {
							copy_said(field[1]),
							copy_said(field[2]),
							field[3],
							field[4],
						});
}

int operations_read(struct operations *ops, const char *root)
{
	const struct rowtable_line *line = NULL;
	struct rowtable table;
	int err = rowtable_read(&table, root);

	*ops = (struct operations) { 0 };
	while ((line = rowtable_next(&table, "course", line)))
		read_operation(ops, line);
	while ((line = rowtable_next(&table, "limit", line)))
		read_limiter(ops, line);
	return err;
}

const struct operation *operations_find(const struct operations *ops,
					const char *id)
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
