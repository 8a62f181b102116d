/* SPDX-License-Identifier: MIT */
#ifndef SECTIONS_H
#define SECTIONS_H

#include "card.h"
#include "course.h"
#include "doc.h"
#include "figures.h"
#include "lmbench.h"
#include "load.h"

/* What the report is made of beside the run itself. */
struct report_parts {
	const struct figures *figs;
	const struct card *card;
	const struct course *course;
	const struct lmbench *lmbench;
	const struct run *ledger; /* or NULL */
};

/* report_write() - the whole report as one document. */
void report_write(struct doc *d, const struct run *run,
		  const struct report_parts *parts);

/* report_title() - "oscost on HOST, 2026-11-22". */
const char *report_title(const struct run *run);

/* The machine and how it was timed; in a file of their own. */
void sections_machine(struct doc *d, const struct run *run);
void sections_machine_table(struct table *t, const json_t *machine);
void sections_timer(struct doc *d, const struct run *run,
		    const struct figures *figs);
void sections_method(struct doc *d, const struct run *run);

/* sections_figures() - those of @program that were drawn. */
void sections_figures(struct doc *d, const char *program,
		      const struct figures *figs);

/* sections_place() - where the files of a program's rows lay, and what that
 * says of its figures; nothing if it has no files. */
void sections_place(struct doc *d, const struct run *run,
		    const struct section *s);

#endif
