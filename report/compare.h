/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stdint.h>
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
	const char *why; /* not comparable */
	bool tested;
	bool first; /* of the row */
	/* A row with two states (rank.h) has here: which level this is, static
	 * text, the medians and shares of both sides there; else NULL, NAN. */
	const char *level;
	double at[2], share[2];
};

struct comparison {
	const struct side *a, *b;
	struct pair *v;
	size_t n;
	size_t *first; /* of each row of A's first run: its place in @v */
	size_t states; /* rows compared level by level */
	size_t tested, raw, resolved; /* rows; of them with p, adjusted < 5 % */
	size_t verdicts[VERDICT_NOT_COMPARABLE + 1]; /* rows of each */
	size_t only_b;		/* rows that A does not have */
	double floor;		/* share below which nothing counts */
	size_t rows_with_floor; /* of their own, from A/A sessions */
	bool interleaved;	/* in one session */
	/* Both are ledgers (docs/ledger.md), counts of instructions, which have
	 * no noise.  Only the past of a boot changes them: boots with other
	 * pasts and the samples of a boot show how much it moves a row. */
	bool counted;
};

/* compare_sides() - every row of A with the same one of B, the core rows first;
 * where a side has two states, level with level, each a pair of its own.
 * Where the sides were measured one after the other and the core's frequency is
 * known, a difference is one of the times and of the cycles: the frequency may
 * have moved, and a row may be bound by the core or by memory.  p is adjusted
 * as Benjamini and Hochberg say, of the core rows and of the details for
 * themselves: of the alarms hardly one in twenty is false.
 * @floor: a share below which no difference matters; @floors: of single rows,
 * by run_key(), or NULL. */
void compare_sides(struct comparison *c, const struct side *a,
		   const struct side *b, double floor, const json_t *floors);

/* compare_is_detail() - a row of an older program is none. */
bool compare_is_detail(const struct result *r);

/* compare_row() - the first pair of the row of @p in another comparison of the
 * same side A. */
const struct pair *compare_row(const struct comparison *c,
			       const struct pair *p);

/* compare_breaks() - whether this row is slower by more than @threshold, a
 * share; less than 0: there is none. */
bool compare_breaks(const struct pair *p, double threshold);

/* ledger_is() - whether the values of @run are counts. */
bool ledger_is(const struct run *run);

/* compare_setting_name() - of the settings that are compared, 0, 1, ... until
 * NULL; compare_setting() - the value of a run as text, "unknown" where there
 * is none. */
const char *compare_setting_name(size_t i);
const char *compare_setting(const struct run *run, size_t i);

/* Comparisons of one side with @n others. */
struct compare_view {
	const struct comparison *c;
	size_t n;
	bool all;	  /* all rows; or those that differ */
	bool in_time;	  /* the sides are a history */
	double threshold; /* see compare_breaks() */
};

/* compare_write() - the verdicts, the rows and what else is known, as a
 * document (of a struct compare_view); compare_json() - the sides, the rows
 * that broke the threshold
 * ("broke") and all rows.  Unknown numbers are null.  Return: 0
 * or -ENOMEM. */
doc_write_fn compare_write;
int compare_json(FILE *f, const struct compare_view *v);

#endif
