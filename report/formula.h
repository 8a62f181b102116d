/* SPDX-License-Identifier: MIT */
#ifndef FORMULA_H
#define FORMULA_H

#include "load.h"
#include "operations.h"
#include "rowtable.h"

/* A name with its value. */
struct formula_name {
	const char *name;
	double value;
};

/* What the names of a formula stand for. */
struct formula_world {
	const struct run *run;
	const struct operations *ops;
	const double *predicted;	 /* of each of them; may be NULL */
	const struct rowtable *table;	 /* its `term` lines */
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
 * {ns syscall}, {B/s 4096/loop}, {1 a/b} for a bare number, {% a/b}.  What has
 * no value becomes "unknown".
 */
const char *formula_text(const char *text, const struct formula_world *w);

#endif
