/* SPDX-License-Identifier: MIT */
#ifndef SCAN_H
#define SCAN_H

#include "bench.h"

/*
 * Reading the texts of cases (docs/rows.md): private to the harness.  A text
 * that cannot be read is a mistake of the programmer: the program fails, and
 * the rest of the text is passed over.
 */
struct scan {
	struct bench *b;
	const char *at;
};

/* scan_is() - whether @token comes next, behind blanks; it is passed over.
 * scan_more() - whether something else than the end of a statement, of changes
 * or an "if" follows. */
bool scan_is(struct scan *s, const char *token);
bool scan_more(struct scan *s);

/* scan_name() - letters, digits and _, or "".  scan_word() - also - and a
 * single dot, or anything between single quotes; it must be there.  Both live
 * as long as the program. */
const char *scan_name(struct scan *s);
const char *scan_word(struct scan *s);

/* scan_number() - digits, maybe with K, M or G: *@size, unless NULL, is set
 * then; false: none. */
bool scan_number(struct scan *s, int64_t *n, bool *size);

/* scan_wrong() - the text cannot be read here.  scan_need() - unless @token
 * comes next. */
void scan_wrong(struct scan *s);
void scan_need(struct scan *s, const char *token);

/* Points, conditions and changes have one form: "^size={8,4K..1M*4,?8..4M}",
 * "via!={pipe,unix}", "size>8", "!size". */
struct term {
	const char *axis;
	char mark;  /* '^' or '!' before the axis, or 0 */
	char op;    /* '=', '<', '>', '!' for "!=", or 0: no values follow */
	bool sizes; /* one of its numbers has a suffix */
	struct bench_param *value;
	size_t n;
	struct range {
		int64_t least, most, step;
		bool times; /* each @step times the one before */
	} open;		    /* what may be asked for; no step: nothing */
};

struct terms {
	struct term of[BENCH_MAX_PARAMS + 1];
	size_t n;
};

/* terms_read() - up to where scan_more() ends; @points: each has values.
 * terms_push() - one value more.  terms_free() - these. */
void terms_read(struct scan *s, struct terms *t, bool points);
void terms_push(struct term *t, struct bench_param value);
void terms_free(struct terms *t);

/* terms_hold() - whether all are true of @c.  terms_beside() - bench_beside()
 * of these changes; scan_beside() - of those that come next. */
bool terms_hold(const struct terms *t, const struct bench_case *c);
const struct bench_case *terms_beside(const struct bench *b,
				      const struct terms *changes,
				      const struct bench_case *c);
const struct bench_case *scan_beside(struct scan *s,
				     const struct bench_case *c);

/* scan_sum() - the number that an expression gives for @c, of its own
 * numbers and what the program has set. */
double scan_sum(struct scan *s, const struct bench_case *c);

/* What a program has set: the values of "$name". */
struct points_set {
	const char *name;
	struct term values;
	const char *lacks; /* bench_need(): why it is not to be had */
	struct points_set *next;
};

/* points_find() - what is set as the name that comes next; no values after
 * scan_wrong(). */
const struct points_set *points_find(struct scan *s);

#endif
