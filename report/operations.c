/* SPDX-License-Identifier: MIT */
#include "operations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pick.h"
#include "text.h"

#define FIELDS 12

/* In the order of the file. */
static void set_fields(struct operation *op, char *const *field)
{
	char **const slots[FIELDS] = {
		&op->id,	&op->section,  &op->label,  &op->benchmark,
		&op->cases,	&op->unit,     &op->base,   &op->software,
		&op->predicted, &op->measured, &op->stddev, &op->limiter,
	};

	for (size_t i = 0; i < FIELDS; i++)
		*slots[i] = strcmp(field[i], "-") ? text_copy(field[i]) : NULL;
}

static void read_line(struct operations *ops, char *line)
{
	char *field[FIELDS], *rest = line;

	for (size_t i = 0; i < FIELDS; i++) {
		field[i] = strsep(&rest, "\t");
		if (!field[i])
			return;
	}
	/* What the rest of the report counts on. */
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(field[i], "-"))
			return;
	if (!text_glob("ns B B/s ns/B", field[5]))
		return;
	ops->v = text_grow(ops->v, ops->n, sizeof(*ops->v));
	set_fields(&ops->v[ops->n++], field);
}

int operations_read(struct operations *ops, const char *root)
{
	char *path = text_format("%s/plots/operations.tsv", root);
	FILE *f = fopen(path, "r");
	int err = f ? 0 : -errno;
	char *line = NULL;
	size_t room = 0;

	*ops = (struct operations) { 0 };
	free(path);
	if (!f)
		return err;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line != '#')
			read_line(ops, line);
	}
	free(line);
	fclose(f);
	return 0;
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
		free(op->limiter);
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
	return op->cases ? run_pick(run, op->benchmark, op->cases) : NULL;
}
