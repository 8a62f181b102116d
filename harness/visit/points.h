/* SPDX-License-Identifier: MIT */
#ifndef POINTS_H
#define POINTS_H

#include "axes.h"
#include "bench.h"

/*
 * Cases from a text (docs/cases.md says what is in it): private to the harness.
 */

/* What a program has set: the values of "$name". */
struct points_set {
	const char *name;
	struct bench_param *value;
	size_t n;
	const char *lacks; /* bench_need(): why it is not to be had */
	struct points_set *next;
};

/* points_open() - the axes of which other numbers may be asked for; NULL: none.
 */
#define POINTS_OPEN 4 /* with the mark of the end */
const struct bench_open *points_open(const struct bench_desc *d);

/* points_find() - what is set as @name; NULL after scan_wrong(). */
struct scan;
const struct points_set *points_find(struct scan *s);

/* points_add() - add those of the descriptor, behind all others, and tell what
 * formulas are made from (points_sources()).  points_derive() - their values.
 */
void points_add(struct bench *b);
void points_sources(struct bench *b);
void points_derive(struct bench *b);

/* points_ready() - what @c needs of the kernel at its visit.  Return: 0 or
 * bench_skip(). */
int points_ready(struct bench *b, const struct bench_case *c);

/* points_close() - forget what was set. */
void points_close(struct bench *b);

#endif
