/* SPDX-License-Identifier: MIT */
#ifndef FIT_H
#define FIT_H

#include <stddef.h>

/* A straight line through points, by least squares. */
struct fit {
	double intercept, slope;
	double intercept_error, slope_error; /* standard errors */
	double r_squared; /* share of the variance of y that it explains; NAN
			   * if y does not vary */
};

/**
 * fit_line() - fit y = intercept + slope x to @n points.
 *
 * Return: 0, or -EINVAL if there are fewer than 3 points, all x are the same
 * or a value is not finite.
 */
int fit_line(struct fit *f, const double *x, const double *y, size_t n);

#endif
