/* SPDX-License-Identifier: MIT */
#ifndef HEADLINES_H
#define HEADLINES_H

#include <stdio.h>

#include "load.h"
#include "table.h"

/*
 * "At a glance": the core rows that have words in rows.tsv.
 */
struct headline {
	char *words, *program, *cases;
	int level; /* of the cache whose size ends the words; 0 for none */
};

struct headlines {
	struct headline *v;
	size_t n;
};

/* headlines_read() - from the rows.tsv below @root; nothing, with a note, if
 * they cannot be read. */
void headlines_read(struct headlines *h, const char *root, struct notes *notes);
void headlines_free(struct headlines *h);

/* headlines_table() - operation, value, interval, grade; where there is no
 * value the reason stands behind the operation.  Operations of programs that
 * are not part of the run are left out. */
void headlines_table(struct table *t, const struct headlines *h,
		     const struct run *run);

/* headlines_quality() - one sentence: how much others took from the programs
 * and what that means for the values; a new string. */
char *headlines_quality(const struct run *run);

/* headlines_print() - table and quality for a terminal of 80 columns. */
void headlines_print(FILE *f, const struct headlines *h, const struct run *run);

#endif
