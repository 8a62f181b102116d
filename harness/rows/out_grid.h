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

/* Cells row by row, the first row is the heading; NULL is empty.  Behind those
 * of a row is its remark. */
struct grid {
	size_t rows, columns;
	char **cell;
};

/* grid_new() - @rows x @columns empty cells.  Return: 0 or -ENOMEM. */
int grid_new(struct grid *g, size_t rows, size_t columns);

/* grid_row() - the cells of one row, and its remark. */
char **grid_row(const struct grid *g, size_t row);

/**
 * grid_put() - write it, lined up by characters; columns without any content
 * below their heading are left out.  Remarks stand behind their rows or below.
 * @sides: of each column: 'l' or 'r' for the side to which it lines up.
 * @line: a first column that is too long for lines of so many columns loses
 * the terms that all rows have, which are written above, and is folded behind
 * commas.
 */
void grid_put(FILE *f, const struct grid *g, const char *sides, size_t line);
void grid_free(struct grid *g);

/* grid_text() - @text in lines of up to 80 columns, the second and further ones
 * behind @indent blanks. */
void grid_text(FILE *f, const char *text, size_t indent);

#endif
