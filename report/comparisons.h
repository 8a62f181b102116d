/* SPDX-License-Identifier: MIT */
#ifndef COMPARISONS_H
#define COMPARISONS_H

#include "doc.h"
#include "operations.h"
#include "rowtable.h"

/*
 * The questions of the course that compare two operations: the `comparison`
 * and `because` lines of @t (docs/rows.md).
 */

/* How many times one cost another is; NAN: not known. */
struct ratio {
	double value, low, high; /* of the 95 % interval */
};

/* comparisons_ratio() - of @a to @b, rows of one run; NULL: not measured. */
struct ratio comparisons_ratio(const struct row *a, const struct row *b);

/* comparisons_times(), comparisons_interval() - "1.25", "1.2 – 1.3", or why
 * not. */
const char *comparisons_times(const struct ratio *r);
const char *comparisons_interval(const struct ratio *r);

/**
 * comparisons_table() - each with its two values, how many times the second
 * the first is, and the 95 % interval of that (rank_shift() of the
 * logarithms of the invocations' values).
 * @ids: the wanted ones, with spaces between; NULL: all.
 */
void comparisons_table(struct table *table, const struct rowtable *t,
		       const struct run *run, const char *ids);

/* comparisons_reason() - "question: why" for the comparison of @line, by the
 * first `because` line whose condition holds, NULL if there is
 * none. */
const char *comparisons_reason(const struct rowtable_line *line,
			       const struct rowtable *t,
			       const struct operations *ops,
			       const struct run *run);

/* comparisons_write() - the table, and a paragraph for each reason. */
void comparisons_write(struct doc *d, const struct rowtable *t,
		       const struct operations *ops, const struct run *run,
		       const char *ids);

#endif
