/* SPDX-License-Identifier: MIT */
#ifndef SCAN_H
#define SCAN_H

#include <string.h>

#include "bench.h"

/*
 * Reading the texts of cases, word by word: private to the harness.  A text
 * that cannot be read is a mistake of the programmer: the program fails, and
 * the rest of the text is passed over.
 */
struct scan {
	struct bench *b;
	const char *at;
};

struct word {
	const char *text;
	size_t len; /* 0: there is none */
};

/* scan_is() - whether @token comes next, behind blanks; it is passed over. */
bool scan_is(struct scan *s, const char *token);

/* scan_name() - letters, digits and _; scan_word() - also - and a single dot,
 * or anything between single quotes, which there must be. */
struct word scan_name(struct scan *s);
struct word scan_word(struct scan *s);

/* scan_number() - digits, maybe with K, M or G (*@size); false: none. */
bool scan_number(struct scan *s, int64_t *n, bool *size);

/* scan_wrong() - the text cannot be read here.  scan_need() - unless @token
 * comes next. */
void scan_wrong(struct scan *s);
void scan_need(struct scan *s, const char *token);

bool word_is(struct word w, const char *text);

static inline struct word word_of(const char *text)
{
	return (struct word) { text, strlen(text) };
}

/* word_number() - all of @w is a number, as with scan_number(). */
bool word_number(struct word w, int64_t *n, bool *size);

/* word_keep() - as a string that lives as long as the program. */
const char *word_keep(struct word w);

/* scan_where() - a condition up to where it ends; of @c NULL it is
 * only read.  scan_beside() - bench_beside() of the changes up to a bracket. */
bool scan_where(struct scan *s, const struct bench_case *c);
const struct bench_case *scan_beside(struct scan *s,
				     const struct bench_case *c);

/* scan_sum() - the number that an expression gives for @c, of its own
 * numbers and what the program has set. */
double scan_sum(struct scan *s, const struct bench_case *c);

/* What a program has set: the values of "$name". */
struct points_set {
	const char *name;
	struct bench_param *value;
	size_t n;
	const char *lacks; /* bench_need(): why it is not to be had */
	struct points_set *next;
};

/* points_find() - what is set as @name; NULL after scan_wrong(). */
const struct points_set *points_find(struct scan *s);

#endif
