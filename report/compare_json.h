/* SPDX-License-Identifier: MIT */
#ifndef COMPARE_JSON_H
#define COMPARE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "compare.h"

/* compare_breaks() - whether this row is slower by more than @threshold, a
 * share; less than 0: there is none. */
bool compare_breaks(const struct pair *p, double threshold);

/* compare_json() - comparisons of one side with @n others: the sides, the rows
 * that broke the threshold ("broke") and all rows with their ratio, interval, p
 * and verdict.  Unknown numbers are null.  Return: 0 or -ENOMEM. */
int compare_json(FILE *f, const struct comparison *c, size_t n,
		 double threshold);

/* compare_junit() - as JUnit XML: a suite for each comparison, a test for each
 * row, which fails if it broke the threshold, without one if it is slower. */
void compare_junit(FILE *f, const struct comparison *c, size_t n,
		   double threshold);

#endif
