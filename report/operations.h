/* SPDX-License-Identifier: MIT */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "load.h"

/* What limits an operation under these conditions: see limiters.h. */
struct limiter {
	const char *cases; /* patterns of the row that measured it; NULL: any */
	const char *
		test; /* "A > x" or "A / B < x", A and B patterns; NULL: none */
	const char *text;
	const char *figure; /* what the figure of the test is, in words */
};

/*
 * The operations of the coursework table, and what limits them.  NULL in a
 * figure of the report of 2017 means that it gave none.
 */
struct operation {
	const char *id, *section, *label;
	const char *benchmark, *cases; /* cases is NULL while none are known */
	const char *unit;
	const char *base, *software, *predicted, *measured, *stddev;
	struct limiter *limiters; /* the first that holds counts */
	size_t nlimiters;
};

struct operations {
	struct operation *v;
	size_t n;
};

/* operations_read() - from the rows.tsv below @root.  Return: 0 or -errno;
 * lines without all fields are left out. */
int operations_read(struct operations *ops, const char *root);

/* operations_find() - by its id, or NULL. */
const struct operation *operations_find(const struct operations *ops,
					const char *id);

/* operations_row() - the row that measures it in its unit, or NULL. */
const struct row *operations_row(const struct operation *op,
				 const struct run *run);

#endif
