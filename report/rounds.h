/* SPDX-License-Identifier: MIT */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stdbool.h>

#include "load.h"

/*
 * How many rounds the programs of a run had.  They differ because run-all gives
 * more to those with a wide interval (due.h), and where a run was stopped in
 * the middle of a round.
 */

/* rounds_count() - set rounds, last and seconds of each section; the rows are
 * there. */
void rounds_count(struct run *run);

/* rounds_ends() - least and most rounds of rows; the core rows of a program
 * count apart from its others.  Return: whether they differ. */
bool rounds_ends(const struct run *run, unsigned int *least,
		 unsigned int *most);

/* rounds_text() - "10" or "10 to 30". */
const char *rounds_text(const struct run *run);

/* rounds_half() - widest half of an interval that rows of @s had after so many
 * @rounds, as a share of its middle: INFINITY if a row had no interval, NAN if
 * no row counts (see rounds_wide()). */
double rounds_half(const struct run *run, const struct section *s,
		   unsigned int rounds);

/* rounds_precision() - half the width of an interval, as a share of its
 * value, that the user asked for; NAN if nothing was. */
double rounds_precision(const struct run *run);

/* rounds_goal() - the same, which decided who got more rounds; NAN if all
 * programs had the same. */
double rounds_goal(const struct run *run);

/**
 * rounds_wide() - how many rows of @s are less precise than @within.
 * @within: as of rounds_precision(), 0 or more.
 * @rows: gets the number of rows with a value, out of which they are.
 *
 * A value without an interval, because fewer than 6 invocations gave one or
 * because they have a trend, is not precise at all.  What has no value
 * (skipped, failed, below resolution), and a level, which is a word, are not
 * counted: no round makes them precise.
 */
size_t rounds_wide(const struct run *run, const struct section *s,
		   double within, size_t *rows);

/* rounds_gave_up() - whether the program of @s has failed as a whole: it gave
 * nothing in at least half of its rounds, and in two, or never anything, and
 * said of none that it skips. */
bool rounds_gave_up(const struct run *run, const struct section *s);

#endif
