/* SPDX-License-Identifier: MIT */
#ifndef POINTS_H
#define POINTS_H

#include "bench.h"

/*
 * Cases from a text (docs/cases.md says what is in it): private to the harness.
 */

/* points_open() - the axes of which other numbers may be asked for; NULL: none.
 */
#define POINTS_OPEN 4 /* with the mark of the end */
const struct bench_open *points_open(const struct bench_desc *d);

/* cases_make() - all cases of the program.  Return: an exit code (err.h). */
int cases_make(struct bench *b);

/* points_add() - add those of the descriptor, behind all others, and tell what
 * formulas are made from (points_sources()).  points_derive() - their values.
 */
void points_add(struct bench *b);
void points_sources(struct bench *b);
void points_derive(struct bench *b);

#endif
