/* SPDX-License-Identifier: MIT */
#ifndef HEADLINES_H
#define HEADLINES_H

#include <stdio.h>

#include "load.h"
#include "table.h"

/*
 * "At a glance": the rows that are shown first, in words.  Which they are is
 * written in plots/headlines.tsv alone.
 */
struct headline {
	char *group, *program, *name, *label;
	char *size; /* case of the size behind the label; NULL for none */
};

struct headlines {
	struct headline *v;
	size_t n;
};

/* headlines_read() - @root/plots/headlines.tsv; nothing if it cannot be read.
 */
void headlines_read(struct headlines *h, const char *root);
void headlines_free(struct headlines *h);

/* headlines_table() - group, operation, value, interval, grade.  A row without
 * a value has its reason in place of the interval.  Programs that did not run
 * are left out; of a run without any row of the list the first rows are
 * shown. */
void headlines_table(struct table *t, const struct headlines *h,
		     const struct run *run);

/* headlines_quality() - one line: the grade of the machine's noise, what share
 * others took, and where to read more; a new string. */
char *headlines_quality(const struct run *run);

/* headlines_print() - table and quality in 80 columns, then the warnings. */
void headlines_print(FILE *f, const struct headlines *h, const struct run *run);

#endif
