/* SPDX-License-Identifier: MIT */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* A table of text, before anybody knows in which format it is written. */
struct column {
	const char *head;
	bool number; /* aligned to the right */
};

struct table {
	const char *caption; /* NULL for none */
	struct column *columns;
	size_t ncolumns;
	const char **cells; /* row after row; NULL is an empty cell */
	const char **marks; /* of each row: "", or a word such as "failed" */
	size_t nrows;
	const char *program; /* whose rows they are; NULL: no rows of one */
	size_t shown;	     /* of those: columns that a narrow table has */
	bool core; /* rows of several programs: program and case first */
};

/* No string is copied. */
void table_column(struct table *t, const char *head, bool number);

/* table_begin() - an empty table with the columns of @heads, which are parted
 * by
 * |; of one that ends with > the cells are aligned to the right. */
void table_begin(struct table *t, const char *heads);

/* table_line() - a row with these cells; those behind them are empty. */
#define table_line(t, mark, ...)                                    \
	table_cells(t, mark, (const char *const[]) { __VA_ARGS__ }, \
		    sizeof((const char *const[]) { __VA_ARGS__ }) / \
			    sizeof(char *))
void table_cells(struct table *t, const char *mark, const char *const *cells,
		 size_t n);

/* table_row() - begin a row of empty cells. */
void table_row(struct table *t, const char *mark);

/* table_cell() - fill the cell of the current row in @column. */
void table_cell(struct table *t, size_t column, const char *text);

/* table_pair() - a row of two cells, for lists of names and values. */
void table_pair(struct table *t, const char *name, const char *value);

/* table_drop() - take out one column. */
void table_drop(struct table *t, size_t column);

/* table_unbracket() - take out what stands in the last brackets of the cells
 * of @column, with all behind it. */
void table_unbracket(struct table *t, size_t column);

/* table_prune() - take out columns in which no cell has text. */
void table_prune(struct table *t);

#endif
