/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_WRITE_H
#define COMPARE_WRITE_H

#include "compare.h"
#include "doc.h"

/* compare_write() - comparisons of one side with @n others as a document;
 * pictures are expected as compare-1.svg and so on in its directory. */
void compare_write(struct doc *d, const struct comparison *c, size_t n);

/* compare_print() - one comparison for a terminal. */
void compare_print(FILE *f, const struct comparison *c, bool all);

/* compare_print_runs() - the sides in their order: when, on which kernel, of
 * which commit, and how many core rows differ from the first. */
void compare_print_runs(FILE *f, const struct comparison *c, size_t n);

/* compare_print_across() - after those, of ledgers: the rows, with a column for
 * each of @n sides; of measurements: a line for each row and side. */
void compare_print_across(FILE *f, const struct comparison *c, size_t n,
			  bool all);

/* Sentences.  Drift: whether both sides were measured in one
 * session; count: how many core rows or details differ. */
const char *compare_drift(const struct comparison *c);
/* NULL, or how many differences the core's frequency explains. */
const char *compare_frequency(const struct comparison *c);
const char *compare_count(const struct comparison *c, bool details);
/* NULL, or how many rows were compared level by level. */
const char *compare_states(const struct comparison *c);
/* NULL, or which runs were very noisy. */
const char *compare_forbidden(const struct comparison *c);
/* NULL, or in how many rows the batches of the sides differ in length. */
const char *compare_batches(const struct comparison *c);
/* NULL, or what it means that rounds were added to rows with wide intervals. */
const char *compare_stopping(const struct comparison *c);

#endif
