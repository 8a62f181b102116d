/* SPDX-License-Identifier: MIT */
#include "out_grid.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "units.h"

static char **row_of(const struct grid *g, size_t row)
{
	return &g->cell[row * g->columns];
}

/* @text in lines that end at column @end and begin behind @at blanks, further
 * ones behind @indent.  Return: columns of the last, which no line feed ends.
 */
static size_t put_lines(FILE *f, const char *text, size_t end, size_t at,
			size_t indent)
{
	struct wrap w = { .rest = text };

	while (wrap_line(&w, end - at)) {
		fprintf(f, "%*s%.*s", (int)at, "", (int)w.len, w.line);
		if (!w.rest[strspn(w.rest, " ")])
			return at + units_width(w.line);
		fputc('\n', f);
		at = indent;
	}
	return 0;
}

void grid_text(FILE *f, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		put_lines(f, text, GRID_LINE, 0, GRID_GAP);
		fputc('\n', f);
		free(text);
	}
	va_end(ap);
}

/* Behind the row if it fits there, else below it. */
static void put_remark(FILE *f, const char *remark, size_t used, size_t line)
{
	if (used + GRID_GAP + units_width(remark) <= line) {
		fprintf(f, "%*s%s", GRID_GAP, "", remark);
		return;
	}
	fputc('\n', f);
	put_lines(f, remark, line, (size_t)2 * GRID_GAP, (size_t)2 * GRID_GAP);
}

static void put_row(FILE *f, const struct grid *g, size_t row,
		    const size_t *width)
{
	char **cells = row_of(g, row);
	size_t used = put_lines(f, *cells, *width, 0, GRID_GAP);
	size_t owed = *width ? *width - used + GRID_GAP : 0;

	for (size_t k = 1; k < g->columns; k++) {
		const size_t own = units_width(cells[k]);
		const bool right = g->sides[k] == 'r';
		const size_t pad = width[k] - own;

		if (g->sides[k] == 'm' && own)
			put_remark(f, cells[k], used, g->line);
		if (g->sides[k] == 'm' || !width[k])
			continue;
		/* Blanks at the end of the line stay owed. */
		if (own) {
			owed += right ? pad : 0;
			fprintf(f, "%*s%s", (int)owed, "", cells[k]);
			used += owed + own;
			owed = right ? 0 : pad;
		} else {
			owed += pad;
		}
		owed += GRID_GAP;
	}
	fputc('\n', f);
}

/* Whether @name has the @len bytes at @term as one of its terms. */
static bool has_term(const char *name, const char *term, size_t len)
{
	while (*name) {
		size_t n = strcspn(name, ",");

		if (n == len && !strncmp(name, term, len))
			return true;
		name += n + (name[n] == ',');
	}
	return false;
}

/* Those terms of @name go that @of has (or has not). */
static void drop_terms(char *name, const char *of, bool has)
{
	const char *term = name;
	char *end = name;

	for (size_t n; *term; term += n + (term[n] == ',')) {
		n = strcspn(term, ",");
		if (has_term(of, term, n) == has)
			continue;
		if (end != name)
			*end++ = ',';
		memmove(end, term, n);
		end += n;
	}
	*end = '\0';
}

/* Terms that all names have go into a line above the table; not if a name is
 * nothing but these. */
static void hoist(FILE *f, const struct grid *g)
{
	char *shared = text_format("%s", g->rows > 2 ? *row_of(g, 1) : "");
	bool whole = false;

	for (size_t i = 2; i < g->rows; i++)
		drop_terms(shared, *row_of(g, i), false);
	for (size_t i = 1; i < g->rows; i++)
		whole |= !*shared || strlen(*row_of(g, i)) == strlen(shared);
	for (size_t i = 1; !whole && i < g->rows; i++)
		drop_terms(*row_of(g, i), shared, true);
	if (!whole)
		grid_text(f, "in all cases: %s\n", shared);
	free(shared);
}

/* The widest cell of column @k, 0 if only its heading has content. */
static size_t widest(const struct grid *g, size_t k)
{
	size_t most = 0, below = 0;

	for (size_t i = g->rows; i--;) {
		const size_t w = units_width(row_of(g, i)[k]);

		below = most;
		most = w > most ? w : most;
	}
	return below ? most : 0;
}

void grid_put(FILE *f, struct grid *g)
{
	size_t width[GRID_COLUMNS], room = g->line;

	for (size_t k = 0; k < g->columns; k++) {
		width[k] = widest(g, k);
		if (!width[k])
			*row_of(g, 0)[k] = '\0';
		if (k && width[k] && g->sides[k] != 'm')
			room -= GRID_GAP + width[k];
	}
	if (width[0] > room) {
		hoist(f, g);
		width[0] = widest(g, 0);
	}
	if (width[0] > room)
		width[0] = room;
	for (size_t i = 0; i < g->rows; i++)
		put_row(f, g, i, width);
	for (size_t i = 0; i < g->rows * g->columns; i++)
		free(g->cell[i]);
	free(g->cell);
}
