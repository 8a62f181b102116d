/* SPDX-License-Identifier: MIT */
#ifndef COURSE_H
#define COURSE_H

#include "doc.h"
#include "estimates.h"
#include "figures.h"
#include "operations.h"
#include "predictions.h"

/* The coursework table: what was predicted and what was measured. */
struct course {
	struct operations ops;
	struct predictions predictions;
	struct estimates estimates; /* where there are no predictions */
	struct rowtable table;
};

/* course_read() - operations and predictions of @run.  A table that cannot be
 * read is a note, and the section is left out. */
void course_read(struct course *c, const struct run *run, const char *root);

/* course_predicted() - what the student predicted of the @i-th operation, or
 * else what the rule gives, in its unit; NAN without either. */
double course_predicted(const struct course *c, size_t i);

/* course_table() - the operations of @section, or of all if it is NULL, whose
 * ids are among @ids (with spaces between), or all if that is NULL. */
void course_table(struct table *t, const struct course *c,
		  const struct run *run, const char *section, const char *ids);

/* course_2017() - the same operations in the report of 2017, beside this run's
 * figures. */
void course_2017(struct table *t, const struct course *c,
		 const struct run *run);

/* course_reasons() - the words of the predictions and the rules of the
 * estimates, one row each. */
void course_reasons(struct table *t, const struct course *c, const char *ids);

/* course_missing() - why a run has few of the operations; NULL if it is no
 * quick one. */
const char *course_missing(const struct run *run);

/* course_write() - the chapters of the report: the tables, and the
 * comparisons. */
void course_write(struct doc *d, const struct course *c, const struct run *run);

/* course_skeleton() - the whole report of the course, to be filled in, by the
 * `chapter` lines of report/estimates.tsv; with those of @figs that are drawn.
 */
void course_skeleton(struct doc *d, const struct course *c,
		     const struct run *run, const struct figures *figs);

#endif
