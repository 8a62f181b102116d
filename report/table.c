/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

void table_column(struct table *t, const char *head, bool number)
{
	t->columns = text_grow(t->columns, t->ncolumns, sizeof(*t->columns));
	t->columns[t->ncolumns++] = (struct column) { head, number };
}

void table_begin(struct table *t, const char *heads)
{
	const char *head;

	*t = (struct table) { 0 };
	while ((head = text_split(&heads, '|'))) {
		const size_t len = strlen(head);
		const bool number = len && head[len - 1] == '>';

		table_column(t,
			     number ? text_format("%.*s", (int)len - 1, head)
				    : head,
			     number);
	}
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

void table_cell(struct table *t, size_t column, const char *text)
{
	t->cells[(t->nrows - 1) * t->ncolumns + column] = text;
}

void table_cells(struct table *t, const char *mark, const char *const *cells,
		 size_t n)
{
	table_row(t, mark);
	for (size_t i = 0; i < n; i++)
		table_cell(t, i, cells[i]);
}

void table_group(struct table *t, const char *mark, const char *why,
		 const char *what, const char *name)
{
	const char **cells = t->cells;

	why = why ? why : "no reason was given";
	for (size_t i = 0; i < t->nrows; i++, cells += t->ncolumns)
		if (!strcmp(cells[0], why) && !strcmp(cells[1], what)) {
			cells[2] = text_format("%ld",
					       strtol(cells[2], NULL, 10) + 1);
			cells[3] = text_format("%s; %s", cells[3], name);
			return;
		}
	table_line(t, mark, why, what, "1", name);
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
		if (i % n != column)
			t->cells[to++] = t->cells[i];
	}
	memmove(&t->columns[column], &t->columns[column + 1],
		(n - column - 1) * sizeof(*t->columns));
	t->ncolumns--;
	t->shown -= column < t->shown;
}

void table_unbracket(struct table *t, size_t column)
{
	for (size_t i = 0; i < t->nrows; i++) {
		const char **cell = &t->cells[i * t->ncolumns + column];
		const char *at = *cell, *bracket = NULL;

		while ((at = at ? strstr(at, " (") : NULL))
			bracket = at++;
		if (bracket)
			*cell = text_format("%.*s", (int)(bracket - *cell),
					    *cell);
	}
}

void table_prune(struct table *t)
{
	for (size_t i = t->ncolumns; i-- > 1;)
		if (is_empty(t, i))
			table_drop(t, i);
}
