/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "units.h"

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

#define LINE_WIDTH 80 /* of a terminal; in a file nothing is cut */

static size_t widest(const struct table *t, size_t column, size_t max)
{
	size_t width = units_width(t->columns[column].head);

	for (size_t i = 0; i < t->nrows; i++) {
		const char *cell = t->cells[i * t->ncolumns + column];
		size_t w = units_width(cell ? cell : "");

		if (w > width)
			width = w;
	}
	return width < max ? width : max;
}

/* @ends: behind which columns a line ends.  A cell that is wider than its
 * column has lines of its own. */
static void put_line(FILE *f, const struct table *t, const char *const *cells,
		     const size_t *width, const bool *ends)
{
	for (size_t j = 0; j < t->ncolumns; j++) {
		const char *text = cells[j] ? cells[j] : "";
		const char *before = j ? "  " : "";
		const int pad = (int)width[j] - (int)units_width(text);
		const bool right = t->columns[j].number;

		if (pad < 0) {
			console_text(f, text, before, "    ");
			continue;
		}
		fprintf(f, "%s%*s", before, right ? pad : 0, "");
		text_plain(f, text);
		fprintf(f, "%*s%s", right || ends[j] ? 0 : pad, "",
			ends[j] ? "\n" : "");
	}
}

void console_table(FILE *f, const struct table *t)
{
	const size_t line = isatty(fileno(f)) ? LINE_WIDTH : SIZE_MAX;
	size_t *width = text_alloc(t->ncolumns, sizeof(*width)), at = 0, all;
	const char **heads = text_alloc(t->ncolumns, sizeof(*heads));
	bool *ends = text_alloc(t->ncolumns, sizeof(*ends));

	for (size_t j = 0; j < t->ncolumns; j++) {
		width[j] = widest(t, j, j ? line - 2 : line);
		heads[j] = t->columns[j].head;
		at += width[j] + (j ? 2 : 0);
	}
	/* Too wide: the first column stands alone, the others below it. */
	all = at;
	at = 0;
	for (size_t j = 0; j < t->ncolumns; j++) {
		at += 2 + width[j];
		ends[j] = j + 1 == t->ncolumns ||
			  (all > line && (!j || at + 2 + width[j + 1] > line));
		if (ends[j])
			at = 0;
	}
	put_line(f, t, heads, width, ends);
	for (size_t i = 0; i < t->nrows; i++)
		put_line(f, t, (const char *const *)&t->cells[i * t->ncolumns],
			 width, ends);
}

/* @text, on a terminal in lines of 80 columns. */
static void console_paragraph(FILE *f, const char *text)
{
	if (isatty(fileno(f))) {
		console_text(f, text, "", "");
	} else {
		text_plain(f, text);
		fputc('\n', f);
	}
}

void console_text(FILE *f, const char *text, const char *first,
		  const char *more)
{
	const char *begin = first;
	struct wrap w = { .rest = text };

	while (wrap_line(&w, LINE_WIDTH - units_width(begin))) {
		const char *line = text_format("%.*s", (int)w.len, w.line);

		fputs(begin, f);
		text_plain(f, line);
		fputc('\n', f);
		begin = more;
	}
}

static void put_table(struct doc *d, const struct table *t)
{
	if (t->caption)
		console_paragraph(d->f, t->caption);
	console_table(d->f, t);
	fputc('\n', d->f);
}

const struct doc_format doc_console = {
	.text = console_paragraph,
	.verbatim = text_plain,
	.heading = "%t\n",
	.fold = "%t\n",
	.para = "%t\n",
	.code_line = "%c\n",
	.code_end = "\n",
	.table = put_table,
};
