/* SPDX-License-Identifier: MIT */
#ifndef RESULT_H
#define RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One row of results, format 2 (docs/results-format.md): what one case gave
 * in one invocation, or in all invocations together.  Shared by the measuring
 * programs and by report/.
 */
#define RESULT_SCHEMA 2

/* As the CPU of a row: not the same in all invocations; null in JSON. */
#define RESULT_CPUS_DIFFER -2

/* Logarithmic bins of a histogram, in each decade. */
#define RESULT_BINS 50.0

enum result_status {
	RESULT_OK,
	RESULT_BELOW_RESOLUTION,
	RESULT_SKIPPED,
	RESULT_FAILED,
};

/* NAN in a double, NULL in a pointer and -1 in an INDEX mean "not known": null
 * in JSON, as is half of a PAIR. */
#define MEMBER_TEXT(member)   char *member;
#define MEMBER_NUMBER(member) double member;
#define MEMBER_PAIR(member)   double member[2];
#define MEMBER_COUNT(member)  uint64_t member;
#define MEMBER_INDEX(member)  int64_t member;
#define MEMBER_STATUS(member) enum result_status member;
#define MEMBER_JSON(member)   json_t *member;

struct result {
#define COLUMN(kind, member, ...) MEMBER_##kind(member)
#include "columns.h"
};

struct result_column {
	const char *key;
	size_t offset; /* of the member */
	enum {
		COLUMN_TEXT,
		COLUMN_NUMBER,
		COLUMN_PAIR,
		COLUMN_COUNT,
		COLUMN_INDEX,
		COLUMN_STATUS,
		COLUMN_JSON
	} kind;
	enum {
		MERGE_OWN,
		MERGE_SAME,
		MERGE_FIRST,
		/* of the numbers that there are */
		MERGE_MEDIAN,
		MERGE_LEAST,
		MERGE_MOST,
		MERGE_SUM,
		/* of objects: evidence and facts; counts; a histogram */
		MERGE_FACTS,
		MERGE_COUNTS,
		MERGE_BINS
	} merge;
};

/* All of them; the last one has no key. */
extern const struct result_column result_columns[];

/* Where there is no memory for a row, its functions end the program; so do
 * jansson's in a program that called result_json_memory(). */
void result_json_memory(void);

/* result_init() - an empty row: all unknown. */
void result_init(struct result *r);

/* result_free() - free what @r owns; NULL is fine. */
void result_free(struct result *r);

/* result_set() - replace string *@slot by a copy of @text (may be NULL). */
void result_set(char **slot, const char *text);

/* result_case_today() - in the name of a case, or a pattern of such, the axes
 * of today for those of earlier versions: "call=read,via=libc" becomes
 * "op=read,by=libc". */
void result_case_today(char *name);

/* result_status_name() - the words of the key "status". */
const char *result_status_name(enum result_status status);

/* result_is_level() - whether its value is a word that was made a number: it
 * has no interval, no states and no grade. */
bool result_is_level(const struct result *r);

/* result_to_json() - a new object with all keys. */
json_t *result_to_json(const struct result *r);

/**
 * result_from_json() - read one object of format 1 or 2.
 * @why: on failure what is wrong with it (static text).
 *
 * Keys that are absent are unknown; unknown keys are ignored.
 *
 * Return: 0, -EINVAL (not a row), -EPROTO (another schema).
 */
int result_from_json(struct result *r, const json_t *object, const char **why);

/* result_line() - a line of JSON with all keys: a new string.  @digits: 12 for
 * people, 17 to keep each bit. */
char *result_line(const struct result *r, size_t digits);

/**
 * result_take() - the row of the line at *@at, which moves behind it.
 * @end: of the text.  Nothing in it is relied on: it may be cut short, or
 * something else may have written there.
 *
 * Return: 0, or -EBADMSG: it is no whole line, or no row.
 */
int result_take(struct result *r, const char **at, const char *end);

/* result_headline() - what an invocation says of the headline, NAN if nothing.
 * One that could not tell its estimate from nothing is no reason to leave it
 * out: that would bias the others upwards. */
double result_headline(const struct result *r);

/*
 * Invocations whose core another hardware thread used too (core_share is less
 * than RESULT_ALONE of the best of the row; readings are good to 1 %) are set
 * aside: their values have another cause.  Unless they are half or more: then
 * this is how the machine is.
 *
 * result_best_share() - of @rows; NAN where none is excluded.
 * result_shared() - whether @r is.
 */
#define RESULT_ALONE 0.95
double result_best_share(const struct result *const *rows, size_t n);
bool result_shared(const struct result *r, double best);

/**
 * result_aggregate() - one row from the rows of one case in @n invocations.
 * @rows: at least one; all of the same benchmark and case.
 *
 * docs/results-format.md, Aggregation, says what becomes of each figure; ci95
 * is of exact order statistics, null for fewer than 6, and at least half a
 * @quantum to both sides.  Also usable for n = 1.
 */
void result_aggregate(struct result *out, const struct result *const *rows,
		      size_t n);

/* The makers of a case's row (rows.c). */
struct bench;
struct case_run;

/* rows_make() - the row of one case. */
void rows_make(const struct bench *b, const struct case_run *run,
	       struct result *row);

/* Its keys "evidence", with facts, and "set_aside", JSON null if nothing was.
 */
json_t *rows_evidence(const struct case_run *run);
json_t *rows_set_aside(const struct case_run *run);

#endif
