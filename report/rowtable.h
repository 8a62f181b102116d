/* SPDX-License-Identifier: MIT */
#ifndef ROWTABLE_H
#define ROWTABLE_H

#include <stddef.h>

/*
 * Facts about the suite's rows: bench/<family>/rows.tsv,
 * monitor/rows.tsv, report/estimates.tsv and report/figures.tsv (docs/rows.md).
 * Each line has a kind and its fields, parted by one tab; lines that begin with
 * # are comments.
 */
struct rowtable_line {
	const char **field; /* without the kind; as many as it must have */
	size_t n;
	const char *kind;
	const char *place; /* "bench/cpu/rows.tsv:12" */
};

struct rowtable {
	struct rowtable_line *v;
	size_t n;
};

/* Remedy for the user where they cannot be read. */
#define ROWTABLE_REMEDY \
	"--root names the directory that holds bench/ and plots/"

/* rowtable_read() - all files below @root, read once, family by family in the
 * order of the report; lines that lack fields are left out.  Return: 0, or
 * -errno if none can be read. */
int rowtable_read(struct rowtable *t, const char *root);

/* rowtable_given() - a field, NULL if it is "-". */
const char *rowtable_given(const char *field);

/* rowtable_next() - the next line of @kind after @last (NULL: the first), or
 * NULL; rowtable_of() - the next whose first field is @id. */
const struct rowtable_line *rowtable_next(const struct rowtable *t,
					  const char *kind,
					  const struct rowtable_line *last);
const struct rowtable_line *rowtable_of(const struct rowtable *t,
					const char *kind, const char *id,
					const struct rowtable_line *last);

#endif
