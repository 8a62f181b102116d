/* SPDX-License-Identifier: MIT */
#ifndef OUT_GRID_H
#define OUT_GRID_H

#include <stddef.h>
#include <stdio.h>

/* A table for a terminal: private to out.c. */

#define GRID_LINE    80	      /* columns of a terminal */
#define GRID_ANY     SIZE_MAX /* lines may be of any length */
#define GRID_GAP     2	      /* blanks between columns */
#define GRID_COLUMNS 32	      /* of a table at the most */

/* Cells row by row, the first row is the heading; none is NULL. */
struct grid {
	size_t rows, columns;
	char **cell;
	/* To which a column lines up, 'l' or 'r'; 'm': it is of remarks. */
	char sides[GRID_COLUMNS];
	size_t line; /* columns that one may have */
};

/**
 * grid_put() - write it, lined up by characters, and free its cells; columns
 * without any content below their heading are left out.  Remarks stand behind
 * their rows or below.  A first column that is too long for the line loses the
 * terms that all rows have, which are written above, and is folded behind
 * commas.
 */
void grid_put(FILE *f, struct grid *g);

/* grid_text() - a text in lines of up to 80 columns, the second and further
 * ones behind GRID_GAP blanks. */
void grid_text(FILE *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
