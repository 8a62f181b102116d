/* SPDX-License-Identifier: MIT */
#include "out_grid.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

int grid_new(struct grid *g, size_t rows, size_t columns)
{
	*g = (struct grid) { rows, columns, calloc(columns, sizeof(size_t)),
			     calloc(rows * columns, sizeof(char *)),
			     calloc(rows, sizeof(char *)) };
	if (g->width && g->cell && g->remark)
		return 0;
	grid_free(g);
	return -ENOMEM;
}

void grid_free(struct grid *g)
{
	for (size_t i = 0; g->cell && i < g->rows * g->columns; i++)
		free(g->cell[i]);
	for (size_t i = 0; g->remark && i < g->rows; i++)
		free(g->remark[i]);
	free(g->cell);
	free(g->remark);
	free(g->width);
	*g = (struct grid) { 0 };
}

char **grid_row(const struct grid *g, size_t row)
{
	return &g->cell[row * g->columns];
}

void grid_text(FILE *f, const char *text, size_t indent)
{
	struct wrap w = { .rest = text };

	for (size_t at = 0; wrap_line(&w, GRID_LINE - at); at = indent)
		fprintf(f, "%*s%.*s\n", (int)at, "", (int)w.len, w.line);
}

/* The lines of a name but the last, which is written without a line feed.
 * Return: columns of the last. */
static size_t put_name(FILE *f, const char *name, size_t width)
{
	struct wrap w = { .rest = name ? name : "" };
	size_t at = 0;

	while (wrap_line(&w, width - at)) {
		fprintf(f, "%*s%.*s", (int)at, "", (int)w.len, w.line);
		if (!*w.rest)
			return at + units_width(w.line);
		fputc('\n', f);
		at = GRID_GAP;
	}
	return 0;
}

/* Behind the row if it fits there, else below it. */
static void put_remark(FILE *f, const char *remark, size_t used)
{
	struct wrap w = { .rest = remark };

	if (remark && *remark &&
	    used + GRID_GAP + units_width(remark) <= GRID_LINE) {
		fprintf(f, "%*s%s\n", GRID_GAP, "", remark);
		return;
	}
	fputc('\n', f);
	while (remark && wrap_line(&w, GRID_LINE - 2 * GRID_GAP))
		fprintf(f, "%*s%.*s\n", 2 * GRID_GAP, "", (int)w.len, w.line);
}

static void put_row(FILE *f, const struct grid *g, size_t row,
		    const char *sides)
{
	size_t used = put_name(f, *grid_row(g, row), g->width[0]);
	size_t owed = g->width[0] ? g->width[0] - used + GRID_GAP : 0;

	for (size_t k = 1; k < g->columns; k++) {
		const char *cell = grid_row(g, row)[k];
		const size_t width = cell ? units_width(cell) : 0;

		if (!g->width[k])
			continue;
		if (sides[k] == 'r')
			owed += g->width[k] - width;
		/* Blanks at the end of the line stay owed. */
		if (width) {
			fprintf(f, "%*s%s", (int)owed, "", cell);
			used += owed + width;
			owed = 0;
		}
		if (sides[k] == 'l')
			owed += g->width[k] - width;
		owed += GRID_GAP;
	}
	put_remark(f, g->remark[row], used);
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

void grid_put(FILE *f, struct grid *g, const char *sides, size_t line)
{
	size_t room = line;

	for (size_t k = 0; k < g->columns; k++) {
		g->width[k] = widest(g, k);
		if (k && g->width[k])
			room -= GRID_GAP + g->width[k];
	}
	if (g->width[0] > room)
		hoist(f, g);
	g->width[0] = widest(g, 0);
	if (g->width[0] > room)
		g->width[0] = room;
	for (size_t i = 0; i < g->rows; i++)
		put_row(f, g, i, sides);
}
