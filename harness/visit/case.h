/* SPDX-License-Identifier: MIT */
#ifndef CASE_H
#define CASE_H

#include "program.h"

/* The cases of a program, for the rest of the harness (docs/cases.md). */
#define CASE_NAME 256 /* bytes, with its end */

/* cases_make() - all cases of the program.  Return: an exit code (err.h).
 * cases_free() - these, and what was seen of them. */
int cases_make(struct bench *b);
void cases_free(struct bench *b);

/* case_add() - add a case, which is copied and has its data.  Return: as it is
 * kept, valid to the end of the program; never NULL: a failure (no memory, the
 * same name twice) makes the program fail. */
const struct bench_case *case_add(struct bench *b, const struct bench_case *c);

/* bench_case_of() - the private part behind a case handed to a benchmark. */
struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c);

/* case_matches() - whether all terms of @glob ("args=3,via=*"), or it as a
 * whole, are said of @c; *@whole: it is the name of @c. */
bool case_matches(const struct bench_case *c, const char *glob, bool *whole);

/* case_give_back() - @run has what it had at @to, and no derived value. */
void case_give_back(struct case_run *run, const struct case_mark *to);

/* points_add() - in cases_make(): those of the descriptor, behind all others.
 * points_sources() - tell what formulas are made from.  points_derive() - their
 * values.  points_close() - forget what was set for the texts. */
void points_add(struct bench *b);
void points_sources(struct bench *b);
void points_derive(struct bench *b);
void points_close(struct bench *b);

/* points_open() - the axes of @text of which other numbers may be asked for,
 * what fits: "; size from 512 to 8K in steps of 256; n from 0 to 9"; or "". */
void points_open(const char *text, char *list, size_t size);

#endif
