/* SPDX-License-Identifier: MIT */
#ifndef COURSE_H
#define COURSE_H

#include "doc.h"
#include "operations.h"
#include "predictions.h"

/* The coursework table: what was predicted and what was measured. */
struct course {
	struct operations ops;
	struct predictions predictions;
};

/* course_read() - operations and predictions of @run.  A table that cannot be
 * read is a note, and the section is left out. */
void course_read(struct course *c, const struct run *run, const char *root);
void course_free(struct course *c);

/* course_table() - the operations of @section, or of all if it is NULL. */
void course_table(struct table *t, const struct course *c,
		  const struct run *run, const char *section);

/* course_write() - the chapter of the report. */
void course_write(struct doc *d, const struct course *c, const struct run *run);

/* course_reasons() - the words of the predictions, one row each. */
void course_reasons(struct table *t, const struct course *c);

#endif
