/* SPDX-License-Identifier: MIT */
#include "out_grid.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

int grid_new(struct grid *g, size_t rows, size_t columns)
{
	*g = (struct grid) { rows, columns,
			     calloc(rows * (columns + 1), sizeof(char *)) };
	return g->cell ? 0 : -ENOMEM;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; g->cell && i < g->rows * (g->columns + 1); i++)
		free(g->cell[i]);
	free(g->cell);
}

char **grid_row(const struct grid *g, size_t row)
{
	return &g->cell[row * (g->columns + 1)];
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

void grid_text(FILE *f, const char *text, size_t indent)
{
	put_lines(f, text, GRID_LINE, 0, indent);
	fputc('\n', f);
}

/* Behind the row if it fits there, else below it. */
static void put_remark(FILE *f, const char *remark, size_t used)
{
	if (used + GRID_GAP + units_width(remark) <= GRID_LINE) {
		fprintf(f, "%*s%s", GRID_GAP, "", remark);
		return;
	}
	fputc('\n', f);
	put_lines(f, remark, GRID_LINE, (size_t)2 * GRID_GAP,
		  (size_t)2 * GRID_GAP);
}

static void put_row(FILE *f, const struct grid *g, size_t row,
		    const size_t *width, const char *sides)
{
	char **cells = grid_row(g, row), *remark = cells[g->columns];
	size_t used = put_lines(f, *cells ? *cells : "", *width, 0, GRID_GAP);
	size_t owed = *width ? *width - used + GRID_GAP : 0;

	for (size_t k = 1; k < g->columns; k++) {
		const size_t own = cells[k] ? units_width(cells[k]) : 0;

		if (!width[k])
			continue;
		if (sides[k] == 'r')
			owed += width[k] - own;
		/* Blanks at the end of the line stay owed. */
		if (own) {
			fprintf(f, "%*s%s", (int)owed, "", cells[k]);
			used += owed + own;
			owed = 0;
		}
		if (sides[k] == 'l')
			owed += width[k] - own;
		owed += GRID_GAP;
	}
	if (remark && *remark)
		put_remark(f, remark, used);
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
	char *shared = g->rows > 2 ? strdup(*grid_row(g, 1)) : NULL;
	char *text = NULL;
	bool whole = !shared;

	for (size_t i = 2; shared && i < g->rows; i++)
		drop_terms(shared, *grid_row(g, i), false);
	for (size_t i = 1; shared && i < g->rows; i++)
		whole |= strlen(*grid_row(g, i)) == strlen(shared);
	if (!whole && *shared &&
	    asprintf(&text, "in all cases: %s", shared) >= 0) {
		for (size_t i = 1; i < g->rows; i++)
			drop_terms(*grid_row(g, i), shared, true);
		grid_text(f, text, GRID_GAP);
		fputc('\n', f);
		free(text);
	}
	free(shared);
}

/* The widest cell of column @k, 0 if only its heading has content. */
static size_t widest(const struct grid *g, size_t k)
{
	size_t most = 0, below = 0;

	for (size_t i = g->rows; i--;) {
		const char *cell = grid_row(g, i)[k];
		size_t w = cell ? units_width(cell) : 0;

		below = most;
		most = w > most ? w : most;
	}
	return below ? most : 0;
}

void grid_put(FILE *f, const struct grid *g, const char *sides, size_t line)
{
	size_t width[GRID_COLUMNS] = { 0 }, room = line;

	for (size_t k = 0; k < g->columns; k++) {
		width[k] = widest(g, k);
		if (k && width[k])
			room -= GRID_GAP + width[k];
	}
	if (width[0] > room) {
		hoist(f, g);
		width[0] = widest(g, 0);
	}
	if (width[0] > room)
		width[0] = room;
	for (size_t i = 0; i < g->rows; i++)
		put_row(f, g, i, width, sides);
}
