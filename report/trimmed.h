/* SPDX-License-Identifier: MIT */
#ifndef TRIMMED_H
#define TRIMMED_H

#include <stddef.h>

/* student_tails() - how likely a value of Student's t with @df degrees of
 * freedom (more than 0) is farther from 0 than @t, to either side.  Relative
 * error below 1e-10 down to 1e-300. */
double student_tails(double t, double df);

/**
 * trimmed_test() - two-sided p-value of Yuen's test that two groups have the
 * same trimmed mean.
 * @n, @m: 2 and more values each, finite.
 *
 * A fifth of the values at either end is trimmed.  So it is not led by a visit
 * or two that something disturbed, and where all others agree it is sure: a
 * test by ranks cannot know that a difference is a hundred times the scatter.
 * Groups without any scatter (all readings are the same step of the clock) are
 * compared by ranks.
 *
 * Source: Yuen, "The Two-Sample Trimmed t for Unequal Population Variances",
 * Biometrika 61(1), 1974.
 */
double trimmed_test(const double *x, size_t n, const double *y, size_t m);

#endif
