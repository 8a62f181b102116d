/* SPDX-License-Identifier: MIT */
#include "operations.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "text.h"

#define FIELDS	       12
#define LIMITER_FIELDS 5

/* A line cut at its tabs.  Return: whether it has @n fields. */
static bool split(char *line, char **field, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		field[i] = strsep(&line, "\t");
		if (!field[i])
			return false;
	}
	return true;
}

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

static void read_operation(struct operations *ops, char *line)
{
	char *field[FIELDS];

	if (!split(line, field, FIELDS))
		return;
	/* What the rest of the report counts on. */
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(field[i], "-"))
			return;
	if (!text_glob("ns B B/s ns/B", field[5]))
		return;
	ops->v = text_grow(ops->v, ops->n, sizeof(*ops->v));
	ops->v[ops->n] = (struct operation) { 0 };
	set_fields(&ops->v[ops->n++], field);
}

static void read_limiter(struct operations *ops, char *line)
{
	char *field[LIMITER_FIELDS];

	if (!split(line, field, LIMITER_FIELDS))
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

static int read_lines(struct operations *ops, const char *root,
		      const char *name,
		      void (*take)(struct operations *ops, char *line))
{
	char *path = text_format("%s/plots/%s", root, name), *line = NULL;
	FILE *f = fopen(path, "r");
	int err = f ? 0 : -errno;
	size_t room = 0;

	free(path);
	if (!f)
		return err;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line != '#')
			take(ops, line);
	}
	free(line);
	fclose(f);
	return 0;
}

int operations_read(struct operations *ops, const char *root)
{
	int err;

	*ops = (struct operations) { 0 };
	err = read_lines(ops, root, "operations.tsv", read_operation);
	/* Without this one they are limited by nothing that is known. */
	if (!err)
		read_lines(ops, root, "limiters.tsv", read_limiter);
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
