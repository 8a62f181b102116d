/* SPDX-License-Identifier: MIT */
#include "operations.h"

#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "rowtable.h"
#include "text.h"

#define FIELDS	       12
#define LIMITER_FIELDS 5

static char *copy_said(const char *field)
{
	return strcmp(field, "-") ? text_copy(field) : NULL;
}

static void add_limiter(struct operation *op, const struct limiter *l)
{
	op->limiters =
		text_grow(op->limiters, op->nlimiters, sizeof(*op->limiters));
	op->limiters[op->nlimiters++] = *l;
}

/* In the order of the file. */
static void set_fields(struct operation *op, char *const *field)
{
	char **const slots[FIELDS - 1] = {
		&op->id,	&op->section,  &op->label,  &op->benchmark,
		&op->cases,	&op->unit,     &op->base,   &op->software,
		&op->predicted, &op->measured, &op->stddev,
	};

	for (size_t i = 0; i < FIELDS - 1; i++)
		*slots[i] = copy_said(field[i]);
	if (strcmp(field[FIELDS - 1], "-") != 0)
		add_limiter(op, &(struct limiter) {
					.text = text_copy(field[FIELDS - 1]) });
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
	char *const *field = line->field;

	if (line->n != LIMITER_FIELDS)
		return;
	for (size_t i = 0; i < ops->n; i++)
		if (!strcmp(ops->v[i].id, field[0]))
			add_limiter(&ops->v[i], &(struct limiter) {
							copy_said(field[1]),
							copy_said(field[2]),
							text_copy(field[3]),
							text_copy(field[4]),
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
	rowtable_free(&table);
	return err;
}

static void free_limiters(struct operation *op)
{
	for (size_t i = 0; i < op->nlimiters; i++) {
		free(op->limiters[i].cases);
		free(op->limiters[i].test);
		free(op->limiters[i].text);
		free(op->limiters[i].figure);
	}
	free(op->limiters);
}

void operations_free(struct operations *ops)
{
	for (size_t i = 0; i < ops->n; i++) {
		struct operation *op = &ops->v[i];

		free(op->id);
		free(op->section);
		free(op->label);
		free(op->benchmark);
		free(op->cases);
		free(op->unit);
		free(op->base);
		free(op->software);
		free(op->predicted);
		free(op->measured);
		free(op->stddev);
		free_limiters(op);
	}
	free(ops->v);
	*ops = (struct operations) { 0 };
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
