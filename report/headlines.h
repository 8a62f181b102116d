/* SPDX-License-Identifier: MIT */
#ifndef HEADLINES_H
#define HEADLINES_H

#include <stdio.h>

#include "load.h"
#include "table.h"

/*
 * Which rows are shown first, and in what words: plots/headlines.tsv, with
 * the fields benchmark, case and label.  Programs without a line there show
 * their first few rows.
 */
struct headline {
	char *benchmark, *name, *label;
};

struct headlines {
	struct headline *v;
	size_t n;
};

/* headlines_read() - @root/plots/headlines.tsv; if it cannot be read, every
 * program shows its first rows. */
void headlines_read(struct headlines *h, const char *root);
void headlines_free(struct headlines *h);

/* headlines_table() - operation, value, interval, grade. */
void headlines_table(struct table *t, const struct headlines *h,
		     const struct run *run);

/* headlines_print() - the same for a terminal, and the warnings. */
void headlines_print(FILE *f, const struct headlines *h, const struct run *run);

#endif
