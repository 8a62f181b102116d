/* SPDX-License-Identifier: MIT */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result.h"

/* How rows are written; out.c sees nothing but struct result. */
enum out_format { OUT_TABLE, OUT_WIDE, OUT_JSON, OUT_CSV };

/**
 * out_rows() - write @n rows of one program to @f.
 * @title: for people: what the program asks, one line; or NULL.
 *
 * OUT_TABLE: case, value, interval, grade and remark in 80 columns; what
 * --counters counted is in the remark.  OUT_WIDE: the other figures and the
 * evidence are, too.
 */
void out_rows(FILE *f, enum out_format format, const char *title,
	      const struct result *rows, size_t n);

/**
 * out_csv_row() - a line of CSV with a column for each key of the format, where
 * ci95 has two: ci95_low and ci95_high.  Objects and lists are JSON.
 * @first: write the heading before it.
 */
void out_csv_row(FILE *f, const struct result *row, bool first);

/* out_value() - "1.23 µs", "< 0.8 ns", "unstable" (a rate whose time is too
 * small to measure), "skipped", "failed"; of a row with two states both, as
 * states_text() has them. */
const char *out_value(const struct result *r);

/* out_evidence() - "children 200/200; page_bytes 4096; disturbed: waited 2",
 * the counts of one invocation; a new string, NULL without any. */
const char *out_evidence(const struct result *r);

/* out_excluded() - "2 measurements and 1 process run excluded:
 * bytes_from_cache"; NULL where nothing was. */
const char *out_excluded(const struct result *r);

/* out_reason() - why there is no value, without the bound that stands in its
 * place; NULL without a reason. */
const char *out_reason(const struct result *r);

/* out_is_formula() - whether a spreadsheet takes @text for one: a quotation
 * mark is to stand before it. */
bool out_is_formula(const char *text);

#endif
