/* SPDX-License-Identifier: MIT */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

/* A straight line through points, by least squares. */
struct fit {
	double intercept, slope;
	double slope_error; /* standard error of the slope */
};

/**
 * fit_line() - fit y = intercept + slope x to @n points.
 *
 * Return: 0, or -EINVAL if there are fewer than 3 points, all x are the same
 * or a value is not finite.
 */
int fit_line(struct fit *f, const double *x, const double *y, size_t n);

#endif
