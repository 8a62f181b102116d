/* SPDX-License-Identifier: MIT */
#ifndef ROWTABLE_H
#define ROWTABLE_H

#include <stddef.h>

/*
 * What is known of the suite's rows: bench/<family>/rows.tsv,
 * monitor/rows.tsv, report/estimates.tsv and report/figures.tsv (docs/rows.md).
 * Each line has a kind and its fields, parted by one tab; lines that begin with
 * # are comments.
 */
struct rowtable_line {
	const char **field; /* without the kind */
	size_t n;
	const char *kind;
	const char *place; /* "bench/cpu/rows.tsv:12" */
};

struct rowtable {
	struct rowtable_line *v;
	size_t n;
};

/* What the user can do where they cannot be read. */
#define ROWTABLE_REMEDY \
	"--root names the directory that holds bench/ and plots/"

/* rowtable_read() - all files below @root, family by family in the order of
 * the report.  Return: 0, or -errno if none can be read. */
int rowtable_read(struct rowtable *t, const char *root);

/* rowtable_next() - the next line of @kind after @last (NULL: the first), or
 * NULL. */
const struct rowtable_line *rowtable_next(const struct rowtable *t,
					  const char *kind,
					  const struct rowtable_line *last);

#endif
