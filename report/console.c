/* SPDX-License-Identifier: MIT */
#include "console.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "text.h"
#include "units.h"
#include "wrap.h"

#define CELL_WIDTH 60 /* on a terminal; in a file nothing is cut */

static void put_cell(FILE *f, const char *text, size_t width, bool right,
		     bool last)
{
	char *part = text_cut(text ? text : "", width);
	int pad = (int)(width - units_width(part));

	if (right)
		fprintf(f, "%*s", pad, "");
	text_plain(f, part);
	free(part);
	if (!right && !last)
		fprintf(f, "%*s", pad, "");
}

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

void console_table(FILE *f, const struct table *t)
{
	const size_t max_width = isatty(fileno(f)) ? CELL_WIDTH : SIZE_MAX;
	size_t *width = text_alloc(t->ncolumns, sizeof(*width));

	for (size_t j = 0; j < t->ncolumns; j++)
		width[j] = widest(t, j, max_width);
	for (size_t j = 0; j < t->ncolumns; j++) {
		fputs(j ? "  " : "", f);
		put_cell(f, t->columns[j].head, width[j], t->columns[j].number,
			 j + 1 == t->ncolumns);
	}
	fputc('\n', f);
	for (size_t i = 0; i < t->nrows; i++) {
		for (size_t j = 0; j < t->ncolumns; j++) {
			fputs(j ? "  " : "", f);
			put_cell(f, t->cells[i * t->ncolumns + j], width[j],
				 t->columns[j].number, j + 1 == t->ncolumns);
		}
		fputc('\n', f);
	}
	free(width);
}

void console_text(FILE *f, const char *text, const char *first,
		  const char *more)
{
	const char *begin = first;
	struct wrap w = { .rest = text };

	while (wrap_line(&w, 80 - units_width(begin))) {
		char *line = text_format("%.*s", (int)w.len, w.line);

		fputs(begin, f);
		text_plain(f, line);
		fputc('\n', f);
		free(line);
		begin = more;
	}
}
