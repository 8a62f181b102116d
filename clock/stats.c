/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Standard error of a median of normal values is 1.2533 sigma / sqrt(n), and
 * sigma is 1.4826 MAD. */
#define MEDIAN_SE (1.2533 * 1.4826)
#define SIGMAS	  3
/* The spread of few values is known badly: wider for them, as Student's t is
 * (99.85 % quantile: 6.4 with 4 degrees of freedom, 3.6 with 23). */
#define FEW 4.5

static int ascending(const void *pa, const void *pb)
{
	double a = *(const double *)pa;
	double b = *(const double *)pb;

	return (a > b) - (a < b);
}

void stats_sort(double *x, size_t n)
{
	qsort(x, n, sizeof(*x), ascending);
}

double stats_quantile(const double *sorted, size_t n, double p)
{
	double rank = p * (double)(n - 1);
	size_t below = (size_t)rank;

	if (below + 1 >= n)
		return sorted[n - 1];
	return sorted[below] +
	       (rank - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *x, size_t n)
{
	stats_sort(x, n);
	return stats_quantile(x, n, 0.5);
}

double stats_mad(double *x, size_t n)
{
	double median = stats_median(x, n);

	for (size_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - median);
	return stats_median(x, n);
}

double stats_median_error(double *x, size_t n)
{
	double sigmas =
		n > 1 ? SIGMAS * (1 + FEW / (double)(n - 1)) : SIGMAS * FEW;

	return sigmas * MEDIAN_SE * stats_mad(x, n) / sqrt((double)n);
}

void stats_compute(struct stats *st, double *samples, size_t n)
{
	double mean = 0, m2 = 0;

	/* Welford's update: one pass, no cancellation when stddev << mean. */
	for (size_t i = 0; i < n; i++) {
		double delta = samples[i] - mean;

		mean += delta / (double)(i + 1);
		m2 += delta * (samples[i] - mean);
	}

	stats_sort(samples, n);
	st->n = n;
	st->min = samples[0];
	st->max = samples[n - 1];
	st->mean = mean;
	st->stddev = n > 1 ? sqrt(m2 / (double)(n - 1)) : 0;
	st->p50 = stats_quantile(samples, n, 0.50);
	st->p90 = stats_quantile(samples, n, 0.90);
	st->p99 = stats_quantile(samples, n, 0.99);
	st->p999 = stats_quantile(samples, n, 0.999);
}

double stats_order_ranks(size_t n, double level, size_t *lo, size_t *hi)
{
	/* Logarithms, because 2^-n itself underflows from n = 1075 on. */
	double log_mass = -(double)n * log(2);
	double tail = exp(log_mass); /* P(Binomial(n, 1/2) <= k - 1) */
	double coverage = 0;

	*lo = 1;
	*hi = n;
	for (size_t k = 1; 2 * k <= n && 1 - 2 * tail >= level; k++) {
		coverage = 1 - 2 * tail;
		*lo = k;
		*hi = n + 1 - k;
		log_mass += log((double)(n - k + 1) / (double)k);
		tail += exp(log_mass);
	}
	return coverage;
}

void stats_pool(struct stats_group *all, const struct stats_group *more)
{
	const double n = (double)all->n, m = (double)more->n;
	const double off = n > 0 ? more->mean - all->mean : 0;
	double squares = off * off * n * m / (n + m);

	if (!more->n)
		return;
	/* Squares within each of the two, and of their distance. */
	squares += (m - 1) * more->stddev * more->stddev;
	if (n > 0)
		squares += (n - 1) * all->stddev * all->stddev;
	all->mean = n > 0 ? all->mean + off * m / (n + m) : more->mean;
	all->n += more->n;
	all->stddev = n + m > 1 ? sqrt(squares / (n + m - 1)) : 0;
}

int stats_fit_line(struct stats_line *f, const double *x, const double *y,
		   size_t n)
{
	double mx = 0, my = 0, sxx = 0, sxy = 0, syy = 0, residual = 0;

	if (n < 3)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		mx += x[i] / (double)n;
		my += y[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - mx) * (x[i] - mx);
		sxy += (x[i] - mx) * (y[i] - my);
		syy += (y[i] - my) * (y[i] - my);
	}
	if (!isfinite(mx) || !isfinite(my) || sxx <= 0)
		return -EINVAL;
	f->slope = sxy / sxx;
	f->intercept = my - f->slope * mx;
	for (size_t i = 0; i < n; i++) {
		const double e = y[i] - f->intercept - f->slope * x[i];

		residual += e * e;
	}
	f->r_squared = syy > 0 ? 1 - residual / syy : NAN;
	f->slope_error = sqrt(residual / (double)(n - 2) / sxx);
	f->intercept_error = f->slope_error * sqrt(sxx / (double)n + mx * mx);
	return 0;
}
