/* SPDX-License-Identifier: MIT */
#ifndef COURSE_H
#define COURSE_H

#include <stdbool.h>
#include <stdio.h>

#include "doc.h"
#include "figures.h"
#include "load.h"
#include "rowtable.h"

/* Parts of a cost: base hardware, software overhead, and both; NAN if not
 * known.
 */
enum { BASE, SOFTWARE, PREDICTED, PARTS };

/* One of the coursework table: a `course` line of rows.tsv, with what somebody
 * expected of it and what a rule gives, in its unit.  Fields are NULL where
 * none is given. */
struct operation {
	const char *id, *section, *label, *benchmark, *cases, *unit;
	const char *of_2017[PARTS + 2]; /* and measured, standard deviation */
	const char *limit;		/* else `limit` lines say it */
	double said[PARTS], rule[PARTS];
	bool unusable; /* something of said[]: nothing follows from the rest */
	const char *why, *limiter; /* of what was said */
	const char *words;	   /* the rule, or what it lacks */
};

struct operations {
	struct operation *v;
	size_t n;
};

/* operations_read() - by the `course` lines of @t. */
void operations_read(struct operations *ops, const struct rowtable *t);

/* operations_find() - by its id, or NULL. */
struct operation *operations_find(const struct operations *ops, const char *id);

/* operations_row() - the row that measures it in its unit, or NULL. */
const struct row *operations_row(const struct operation *op,
				 const struct run *run);

/* operations_template() - a commented file of predictions to fill in, behind
 * what scripts/lib/describe.pl says of the machine. */
void operations_template(FILE *f, const struct operations *ops,
			 const struct rowtable *t);

/**
 * predictions_read() - read an INI file with a section for each operation:
 * base, software, predicted, why and limiter; and [machine] clock.
 * @core_hz: turns cycles into time where the file says no clock.
 *
 * Where predicted is not given it is base + software.  Each line that cannot
 * be used is a note with the file, the line and what was expected there.
 *
 * Return: how many such lines, or -errno if the file cannot be read.
 */
int predictions_read(struct operations *ops, const char *path, double core_hz,
		     struct notes *notes);

/**
 * estimates_make() - by the `estimate` lines of @run: of an operation the
 * first counts whose condition holds and whose figures this run has.
 * The estimate of one may be part of another's.
 */
void estimates_make(struct operations *ops, const struct run *run);

/* The coursework table: what was predicted and what was measured. */
struct course {
	const struct run *run;
	struct operations ops;
	bool predicted; /* by somebody, in a file */
};

/* course_read() - operations and predictions of @run: DIR/predictions.ini,
 * which run-all copies when it begins, else those in @root, else none. */
void course_read(struct course *c, struct run *run, const char *root);

/* course_predicted() - what the student predicted of the @i-th operation, or
 * else what the rule gives, in its unit; NAN without either. */
double course_predicted(const struct course *c, size_t i);

/* course_table() - the operations of @section, or of all if it is NULL, whose
 * ids are among @ids (with spaces between), or all if that is NULL. */
void course_table(struct table *t, const struct course *c, const char *section,
		  const char *ids);

/* course_reason() - the student's words for the prediction, and the rule where
 * it stands in for a figure; NULL without either.  course_limiter() - the
 * student's, or else limiters_say(). */
const char *course_reason(const struct operation *op);
const char *course_limiter(const struct course *c, const struct operation *op,
			   const struct row *row);

/* course_write() - the chapters of the report: the tables, and the
 * comparisons. */
void course_write(struct doc *d, const struct course *c);

/* course_skeleton() - the whole report of the course, to be filled in, by the
 * `chapter` lines of report/estimates.tsv; with the figures that are drawn.
 */
void course_skeleton(struct doc *d, const struct course *c);

/**
 * limiters_say() - what limited @op where @row measured it.
 *
 * The first `limit` line of @op counts whose pattern @row matches and whose
 * comparison holds from one end of its 95 % interval to the other; a figure
 * that the run does not have, or has no interval for, holds nothing.
 *
 * Return: it, with the figure that was compared in brackets; NULL if
 * nothing was measured (@row is NULL or has no result) or nothing is known.
 */
const char *limiters_say(const struct operation *op, const struct run *run,
			 const struct row *row);

/* A name with its value. */
struct formula_name {
	const char *name;
	double value;
};

/* Values for the names in a formula. */
struct formula_world {
	const struct run *run;
	const struct operations *ops;
	const double *predicted;	 /* of each of them; may be NULL */
	const struct formula_name *more; /* up to a NULL name; may be NULL */
};

/**
 * formula_value() - what @text amounts to in this run.
 * @missing: set where there is no value: what the run does not
 *	     have, or what is wrong with @text; else NULL.
 *
 * Numbers, + - * / < > (1 or 0), brackets, min(a, b), max(a, b), and
 *	syscall		  the value that the operation has in this run
 *	syscall.predicted its estimate
 *	[PROGRAM CASES]	  the value of the row (run_pick())
 *	$cpu.cores	  a number of machine.json
 *	cycle		  the time of a core cycle, ns
 *	NAME		  a `term` line: the first of that name with a value
 *
 * Return: it, or NAN.
 */
double formula_value(const char *text, const struct formula_world *w,
		     const char **missing);

/**
 * formula_text() - @text with each {UNIT FORMULA} replaced by its value:
 * {ns syscall}, {B/s 4096/loop}, {1 a/b} for a bare number, {% a/b};
 * {text os}: a text of machine.json.  One without a value becomes "unknown".
 */
const char *formula_text(const char *text, const struct formula_world *w);

/**
 * quantity_parse() - an amount with its unit, as people write it: "3.2 ns",
 * "100 cycles", "10.6 GB/s", "950 Mbit/s", "7 GiB", "0".
 * @want: "ns", "ns/B", "B/s", "B" or "Hz": what is to come out.
 * @clock_hz: to turn cycles into ns; NAN if not known.
 * @value: in @want; set only on success.
 *
 * Return: NULL, or what was expected (static text).
 */
const char *quantity_parse(const char *text, const char *want, double clock_hz,
			   double *value);

/* How many times one cost another is; NAN: not known. */
struct ratio {
	double value, low, high; /* of the 95 % interval */
	double least, most;	 /* @value; or of rows with two states */
};

/* comparisons_ratio() - of @a to @b, rows of one run (rank_shift() of the
 * logarithms of the process runs' values); NULL: not measured. */
struct ratio comparisons_ratio(const struct row *a, const struct row *b);

/* comparisons_write() - the questions of the course that compare two
 * operations, by the `comparison` and `because` lines (docs/rows.md): a
 * table, and a paragraph for each reason.  @ids: the wanted ones, with spaces
 * between; NULL: all. */
void comparisons_write(struct doc *d, const struct course *c, const char *ids);

#endif
