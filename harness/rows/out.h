/* SPDX-License-Identifier: MIT */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result.h"

/* How rows are written; out.c sees nothing but struct result. */
enum out_format { OUT_SHORT, OUT_WIDE, OUT_JSON, OUT_CSV };

/**
 * out_rows() - write @n rows of one program to @f.
 * @title: for people: what the program asks, one line; or NULL.
 *
 * Return: 0 or -errno (the disk is full, the pipe is closed, no memory).
 */
int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n);

/* out_short() - case, value, interval, grade and remark in 80 columns.
 * Return: 0 or -ENOMEM. */
int out_short(FILE *f, const char *title, const struct result *rows, size_t n);

/* out_cpu() - where @r was measured: a new string, ", CPU 1". */
char *out_cpu(const struct result *r);

/* out_counts() - the table of what --counters counted; nothing if no row has
 * it.  @wide: all of it, else what fits into 80 columns.  Return: 0 or -ENOMEM.
 */
int out_counts(FILE *f, const struct result *rows, size_t n, bool wide);

/**
 * out_folded() - write @rows x @columns cells in lines of up to 80 columns.
 * @cells: row by row, the first is the heading; a first column that is too long
 * for its place loses the terms that all rows have, which are said above, and
 * is folded behind commas; columns without content are left out.
 * @remarks: of each row, behind it or below; NULL for none.
 *
 * Return: 0 or -ENOMEM.
 */
int out_folded(FILE *f, char **cells, size_t rows, size_t columns,
	       char *const *remarks);

/* out_text() - @text in lines of up to 80 columns, the second and further ones
 * behind @indent blanks. */
void out_text(FILE *f, const char *text, size_t indent);

/**
 * out_csv_row() - a line of CSV with a column for each key of the format, where
 * ci95 has two: ci95_low and ci95_high.  Objects and lists are JSON.
 * @first: write the heading before it.
 *
 * Return: 0 or -ENOMEM.
 */
int out_csv_row(FILE *f, const struct result *row, bool first);

/* out_is_formula() - whether a spreadsheet takes @text for one: a quotation
 * mark is to stand before it. */
bool out_is_formula(const char *text);

/* out_json_row() - one object and a line feed.  Return: 0 or -errno. */
int out_json_row(FILE *f, const struct result *row);

/**
 * out_table() - write @rows x @columns cells, lined up; UTF-8 is counted by
 * characters.  The first row is the heading.  A column without any content
 * below its heading is left out.
 * @cells: row by row; NULL is empty.
 * @left: @columns flags: 'l' or 'r' for the side to which a column lines up.
 */
void out_table(FILE *f, char *const *cells, size_t rows, size_t columns,
	       const char *left);

#endif
