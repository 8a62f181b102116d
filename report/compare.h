/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "doc.h"
#include "load.h"
#include "rank.h"

/*
 * Two sides, row by row (METHOD, two runs).  A side is one results directory,
 * whose invocations are the units of the test, or several of the same thing
 * (boots, days), each of which is then one unit.
 */
struct side {
	const char *name;
	struct run *runs;
	size_t n;
	struct notes notes;
};

enum verdict {
	VERDICT_SAME,  /* no difference resolved */
	VERDICT_SMALL, /* one that does not matter: below the floor */
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_NOT_COMPARABLE,
};

struct pair {
	const struct row *a, *b; /* of the first run of each side; b may be
				  * NULL */
	struct rank_shift cost;	 /* log of cost B / cost A */
	struct rank_shift added; /* B - A, in @unit */
	const char *unit;
	bool in_cycles; /* both are of cycles: the core's frequency moved */
	double range_a[2], range_b[2]; /* of two ledgers: logs of the costs */
	double p, adjusted;	       /* for many tests: see compare_sides() */
	double p_time;		       /* p of the times alone */
	double clock;		       /* log of core_hz B / A; NAN: unknown */
	bool by_frequency;	       /* differs in time, not in cycles */
	double floor; /* the largest effect that A/A sessions showed, or 0 */
	enum verdict verdict;
	const char *why; /* not comparable: static text */
	bool tested;
	bool first; /* of the row */
	/* Of a row with two states (rank.h): which level this is, static
	 * text, the medians and shares of both sides there, p of the hypothesis
	 * that the shares of the row's states are the same; else NULL, NAN. */
	const char *level;
	double at[2], share[2], p_shares;
	bool shares_differ;
};

struct comparison {
	const struct side *a, *b;
	struct pair *v;
	size_t n;
	size_t *first; /* of each row of A's first run: its place in @v */
	size_t states; /* rows compared level by level */
	size_t tested, raw, resolved; /* rows; of them with p, adjusted < 5 % */
	size_t details;		      /* of the tested ones */
	size_t only_b;		      /* rows that A does not have */
	double floor;		      /* share below which nothing counts */
	size_t rows_with_floor;	      /* of their own, from A/A sessions */
	bool interleaved;	      /* in one session */
	bool counted;		      /* both are ledgers: no noise */
};

/* side_load() - @list is one results directory, or one that holds several, or
 * several of either with commas between.
 * Return: 0 or -errno with *@why. */
int side_load(struct side *s, const char *list, const char **why);

/* compare_sides() - every row of A with the same one of B, the core rows first;
 * where a side has two states, level with level, each a pair of its own.
 * Where the sides were measured one after the other and the core's frequency is
 * known, a difference is one of the times and of the cycles: the frequency may
 * have moved, and a row may be bound by the core or by memory.  p is adjusted
 * as Benjamini and Hochberg say, of the core rows and of the details for
 * themselves: of the alarms hardly one in twenty is false.
 * @floor: a share below which no difference matters; @floors: of single rows,
 * or NULL. */
void compare_sides(struct comparison *c, const struct side *a,
		   const struct side *b, double floor, const json_t *floors);

/* compare_is_detail() - a row of an older program is none. */
bool compare_is_detail(const struct result *r);

/* compare_key() - what a row is found by in another run. */
const char *compare_key(const struct result *r);

/* compare_index() - the rows of @run by that; compare_find() - the one that is
 * the same as @r there, or NULL. */
json_t *compare_index(const struct run *run);
const struct row *compare_find(const struct run *run, const json_t *index,
			       const struct result *r);

/* floors_read() - what the same thing shows against itself: @list names
 * directories that `make aa` (scripts/ab --same) made, or runs of the same
 * thing, each of which is set against the one before, with commas between.
 * Return: 0 with *@floors, or -errno with *@why. */
int floors_read(json_t **floors, const char *list, const char **why);
double floors_row(const json_t *floors, const struct result *r);

/* compare_worst() - the row with the largest resolved increase of cost, or
 * NULL. */
const struct pair *compare_worst(const struct comparison *c);

/* compare_label() - "program: case", and the level, if it is one of two; a new
 * string. */
const char *compare_label(const struct pair *p);

/* compare_verdict() - in words; compare_ratios() - "1.051 [1.043, 1.06]";
 * compare_added() - "+410 ns [+350, +470]", or NULL. */
const char *compare_verdict(const struct pair *p);
const char *compare_ratios(const struct rank_shift *cost);
const char *compare_added(const struct pair *p);

/* Tables: what differs beside the results, geometric means by program, and
 * the core rows or the details: all of them, or those with a difference. */
void compare_settings(struct table *t, const struct comparison *c);
void compare_means(struct table *t, const struct comparison *c);
void compare_rows(struct table *t, const struct comparison *c, bool details,
		  bool all);

/* compare_across() - the rows of all @n comparisons of one side A with others,
 * all of them or those that differ in one:
 * what each adds, in the unit of the row and as a share, and its interval.
 * Behind them may stand comparisons of ledgers, for the rows that these have,
 * too. */
void compare_across(struct table *t, const struct comparison *c, size_t n,
		    bool all);

/* compare_timed() - how many of @n comparisons are before those of ledgers. */
size_t compare_timed(const struct comparison *c, size_t n);

/* compare_setting_name() - of the settings that are compared, 0, 1, ... until
 * NULL; compare_setting() - the value of a run as text, "unknown" where there
 * is none. */
const char *compare_setting_name(size_t i);
const char *compare_setting(const struct run *run, size_t i);

/* compare_name() - "name" of "path/name". */
const char *compare_name(const struct side *s);

/* odd_table() - the core rows of all n + 1 sides of @n comparisons of one side
 * with others, and which of them is the odd one out: its interval meets none of
 * the other ones, which all meet each other; odd_words() - which one is so most
 * often.  No test: of many rows some are odd by chance. */
void odd_table(struct table *t, const struct comparison *c, size_t n);
const char *odd_words(const struct comparison *c, size_t n);

/* compare_breaks() - whether this row is slower by more than @threshold, a
 * share; less than 0: there is none. */
bool compare_breaks(const struct pair *p, double threshold);

/* compare_json() - comparisons of one side with @n others: the sides, the rows
 * that broke the threshold ("broke") and all rows with their ratio, interval, p
 * and verdict.  Unknown numbers are null.  Return: 0 or -ENOMEM. */
int compare_json(FILE *f, const struct comparison *c, size_t n,
		 double threshold);

/* compare_plot() - DIR/plots/@name.svg: dots with intervals around 1.  Return:
 * 0 or -errno. */
int compare_plot(const struct comparison *c, const char *dir, const char *name);

/* Comparisons of one side with @n others. */
struct compare_view {
	const struct comparison *c;
	size_t n;
	bool all;     /* all rows; or those that differ */
	bool in_time; /* the sides are a history */
};

/* compare_write() - as a document; in one with a directory pictures are
 * expected there as plots/compare-1.svg and so on. */
void compare_write(struct doc *d, const struct compare_view *v);

/*
 * Two ledgers (docs/ledger.md): their values are counts of instructions, which
 * have no noise.  What is left is what ran before: boots with other pasts and
 * the samples of a boot show what that does to a row.
 */

/* ledger_is() - whether the values of @run are counts. */
bool ledger_is(const struct run *run);

/* ledger_counts() - "317", or "9023 to 10147"; @sign stands before what is not
 * negative. */
const char *ledger_counts(double lo, double hi, const char *sign);

/* ledger_pair() - judge a row by the logarithms of what its units cost, and
 * by the ranges, which are set: the sides differ if these lie further apart
 * than either is wide.  Sets cost and p: 0 if they differ, else 1. */
void ledger_pair(struct pair *p, const double *x, size_t n, const double *y,
		 size_t m);

/* ledger_words() - what B changes, and where most. */
const char *ledger_words(const struct comparison *c);

/* ledger_rows() - operations by the size of the effect, with a column for each
 * of @n sides that are compared with the same A: all of them, or those that
 * differ on one side at least. */
void ledger_rows(struct table *t, const struct comparison *c, size_t n,
		 bool all);

#endif
