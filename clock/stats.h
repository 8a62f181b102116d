/* SPDX-License-Identifier: MIT */
#ifndef STATS_H
#define STATS_H

#include <stddef.h>

/* Every field is in the unit of the samples; n is a count. */
struct stats {
	size_t n;
	double min, max;
	double mean, stddev; /* stddev: Bessel-corrected (n - 1), 0 if n < 2 */
	double p50, p90, p99, p999;
};

/**
 * stats_compute() - describe @n >= 1 samples; nothing is discarded.
 * @samples: sorted in place, ascending.
 */
void stats_compute(struct stats *st, double *samples, size_t n);

/* stats_sort() - ascending. */
void stats_sort(double *x, size_t n);

/**
 * stats_quantile() - p-quantile by linear interpolation between ranks.
 * @sorted: ascending, @n >= 1.  @p: in [0, 1].
 *
 * Source: R-7 in Hyndman and Fan, "Sample Quantiles in Statistical
 * Packages", The American Statistician 50(4), 1996.
 */
double stats_quantile(const double *sorted, size_t n, double p);

/* stats_median() - of @n >= 1 values; sorts @x. */
double stats_median(double *x, size_t n);

/* stats_mad() - median absolute deviation from the median, not scaled;
 * sorts and overwrites @x.  @n >= 1. */
double stats_mad(double *x, size_t n);

/* stats_median_error() - three standard errors of the median of @n >= 1 values
 * as far as their deviation shows, and more for few values, whose spread is
 * known badly; sorts and overwrites @x. */
double stats_median_error(double *x, size_t n);

/**
 * stats_order_ranks() - exact interval for the median from order statistics.
 * @n: number of independent values.  @level: e.g. 0.95.
 * @lo, @hi: 1-based ranks of the narrowest symmetric interval [x_lo, x_hi]
 *	     whose coverage is at least @level.
 *
 * Source: binomial(n, 1/2); David and Nagaraja, "Order Statistics", 3rd ed.,
 * 2003, section 7.1.  n=6: 1, 6; n=10: 2, 9; n=20: 6, 15.
 *
 * Return: the coverage reached, or 0 if @n is too small for @level (then
 * @lo = 1, @hi = n).
 */
double stats_order_ranks(size_t n, double level, size_t *lo, size_t *hi);

/* One group of samples, already summarised. */
struct stats_group {
	size_t n;
	double mean, stddev;
};

/* stats_pool() - @all becomes the mean and standard deviation of its samples
 * and those of @more together, as if the samples were at hand. */
void stats_pool(struct stats_group *all, const struct stats_group *more);

/* A straight line through points, by least squares. */
struct stats_line {
	double intercept, slope;
	double intercept_error, slope_error; /* standard errors */
	double r_squared; /* share of the variance of y that it explains; NAN
			   * if y does not vary */
};

/**
 * stats_fit_line() - fit y = intercept + slope x to @n points.
 *
 * Return: 0, or -EINVAL if there are fewer than 3 points, all x are the same
 * or a value is not finite.
 */
int stats_fit_line(struct stats_line *f, const double *x, const double *y,
		   size_t n);

#endif
