/* SPDX-License-Identifier: MIT */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdio.h>

#include "compare.h"

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
