/* SPDX-License-Identifier: MIT */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "load.h"

/*
 * The operations of the coursework table: plots/operations.tsv.  NULL in a
 * figure of the report of 2017 means that it gave none.
 */
struct operation {
	char *id, *section, *label;
	char *benchmark, *cases; /* cases is NULL while none are known */
	char *unit;
	char *base, *software, *predicted, *measured, *stddev;
	char *limiter;
};

struct operations {
	struct operation *v;
	size_t n;
};

/* operations_read() - @root/plots/operations.tsv.  Return: 0 or -errno; lines
 * without all fields are left out. */
int operations_read(struct operations *ops, const char *root);
void operations_free(struct operations *ops);

/* operations_find() - by its id, or NULL. */
const struct operation *operations_find(const struct operations *ops,
					const char *id);

/* operations_row() - the row that measures it, or NULL. */
const struct row *operations_row(const struct operation *op,
				 const struct run *run);

#endif
