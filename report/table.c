/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void table_column(struct table *t, const char *head, bool number)
{
	t->columns = text_grow(t->columns, t->ncolumns, sizeof(*t->columns));
	t->columns[t->ncolumns++] = (struct column) { text_copy(head), number };
}

void table_row(struct table *t, const char *mark)
{
	size_t at = t->nrows * t->ncolumns;

	for (size_t i = 0; i < t->ncolumns; i++) {
		t->cells = text_grow(t->cells, at + i, sizeof(*t->cells));
		t->cells[at + i] = NULL;
	}
	t->marks = text_grow(t->marks, t->nrows, sizeof(*t->marks));
	t->marks[t->nrows++] = mark;
}

void table_cell(struct table *t, size_t column, char *text)
{
	char **cell = &t->cells[(t->nrows - 1) * t->ncolumns + column];

	free(*cell);
	*cell = text;
}

void table_pair(struct table *t, const char *name, char *value)
{
	table_row(t, "");
	table_cell(t, 0, text_copy(name));
	table_cell(t, 1, value);
}

static bool is_empty(const struct table *t, size_t column)
{
	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];

		if (cell && *cell)
			return false;
	}
	return true;
}

void table_drop(struct table *t, size_t column)
{
	size_t n = t->ncolumns, to = 0;

	for (size_t i = 0; i < t->nrows * n; i++) {
		if (i % n == column)
			free(t->cells[i]);
		else
			t->cells[to++] = t->cells[i];
	}
	free(t->columns[column].head);
	memmove(&t->columns[column], &t->columns[column + 1],
		(n - column - 1) * sizeof(*t->columns));
	t->ncolumns--;
	t->shown -= column < t->shown;
}

void table_unbracket(struct table *t, size_t column)
{
	for (size_t i = 0; i < t->nrows; i++) {
		char *cell = t->cells[i * t->ncolumns + column];
		char *bracket = NULL;

		while ((cell = cell ? strstr(cell, " (") : NULL))
			bracket = cell++;
		if (bracket)
			*bracket = '\0';
	}
}

void table_prune(struct table *t)
{
	for (size_t i = t->ncolumns; i-- > 1;)
		if (is_empty(t, i))
			table_drop(t, i);
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->nrows * t->ncolumns; i++)
		free(t->cells[i]);
	for (size_t i = 0; i < t->ncolumns; i++)
		free(t->columns[i].head);
	free(t->cells);
	free(t->columns);
	free(t->marks);
	free(t->caption);
	*t = (struct table) { 0 };
}
