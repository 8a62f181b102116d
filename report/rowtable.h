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

struct notes;

/* rowtable_read() - all files below @root, read once, family by family in the
 * order of the report; lines that lack fields are left out.  Where none can be
 * read a note says why and what is missing then. */
void rowtable_read(struct rowtable *t, const char *root, struct notes *notes);

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

/**
 * words_of() - what a figure calls @value of @axis in @program's rows, by the
 * first `word` line of @table that fits.  Without one sizes become "64 KiB",
 * and all else stays; a value that the row does not have is "".
 *
 * Return: them; "" for what is not worth a word.
 */
const char *words_of(const struct rowtable *table, const char *program,
		     const char *axis, const char *value);

#endif
