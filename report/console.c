/* SPDX-License-Identifier: MIT */
#include "doc.h"

#include <stdint.h>
#include <unistd.h>

#include "text.h"
#include "units.h"

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

void console_paragraph(FILE *f, const char *text)
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
