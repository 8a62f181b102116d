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
 * OUT_SHORT: case, value, interval, grade and remark in 80 columns; OUT_WIDE:
 * more, in lines of any length.  Below both stands what --counters counted, if
 * a row has it.
 *
 * Return: 0 or -errno (the disk is full, the pipe is closed).
 */
int out_rows(FILE *f, enum out_format format, const char *title,
	     const struct result *rows, size_t n);

/**
 * out_csv_row() - a line of CSV with a column for each key of the format, where
 * ci95 has two: ci95_low and ci95_high.  Objects and lists are JSON.
 * @first: write the heading before it.
 */
void out_csv_row(FILE *f, const struct result *row, bool first);

/* out_is_formula() - whether a spreadsheet takes @text for one: a quotation
 * mark is to stand before it. */
bool out_is_formula(const char *text);

#endif
