/* SPDX-License-Identifier: MIT */
#ifndef LMBENCH_H
#define LMBENCH_H

#include "doc.h"
#include "load.h"

/*
 * The run in the groups and names of lmbench's summary, for those who have
 * figures of that program to set beside it.
 */
struct lmbench_line {
	const char *group, *name, *benchmark, *cases, *remark;
	size_t order; /* within the group */
};

struct lmbench {
	struct lmbench_line *v;
	size_t n;
};

/* lmbench_read() - the lines of rows.tsv below @root; empty if
 * they cannot be read. */
void lmbench_read(struct lmbench *l, const char *root);

/* lmbench_any() - whether anything of it was measured. */
bool lmbench_any(const struct lmbench *l, const struct run *run);

/* lmbench_write() - its section.  Groups of which nothing was measured are left
 * out. */
void lmbench_write(struct doc *d, const struct lmbench *l,
		   const struct run *run);

#endif
