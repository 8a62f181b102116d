/* SPDX-License-Identifier: MIT */
#include "rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "stats.h"
#include "text.h"

#define TERMS 10000 /* of the fraction: some tens are needed */

/* The continued fraction of the incomplete beta function, by Lentz's method:
 * Abramowitz and Stegun 26.5.8; Thompson and Barnett, "Coulomb and Bessel
 * functions of complex arguments and order", J. Comp. Phys. 64, 1986. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d, step = 0;

	for (int i = 2; i < TERMS && fabs(step - 1) > 4 * DBL_EPSILON; i++) {
		const double m = floor(i / 2.0);
		const double term =
			i % 2 ? -(a + m) * (a + b + m) * x /
					((a + 2 * m) * (a + 2 * m + 1))
			      : m * (b - m) * x /
					((a + 2 * m - 1) * (a + 2 * m));

		d = 1 / (1 + term * d);
		c = 1 + term / c;
		step = c * d;
		h *= step;
	}
	return h;
}

double student_tails(double t, double df)
{
	const double a = df / 2, b = 0.5, x = df / (df + t * t), y = 1 - x;
	const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) +
				 a * log(x) + b * log(t * t / (df + t * t)));

	if (!(fabs(t) > 0))
		return 1;
	if (isinf(t))
		return 0;
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, y) / b;
}

struct trimmed {
	double mean;
	double error2; /* square of its standard error */
	double df;
};

static void trim(struct trimmed *t, const double *x, size_t n)
{
	const size_t cut = n / 5, kept = n - 2 * cut;
	double *v = text_alloc(n, sizeof(*v)), sum = 0, all = 0, squares = 0;

	memcpy(v, x, n * sizeof(*v));
	stats_sort(v, n);
	for (size_t i = cut; i < n - cut; i++)
		sum += v[i];
	/* Values that were cut off count as the last that was not. */
	for (size_t i = 0; i < cut; i++) {
		v[i] = v[cut];
		v[n - 1 - i] = v[n - 1 - cut];
	}
	for (size_t i = 0; i < n; i++)
		all += v[i];
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - all / (double)n) * (v[i] - all / (double)n);
	t->mean = sum / (double)kept;
	t->df = (double)kept - 1;
	t->error2 = squares / ((double)kept * t->df);
}

double trimmed_test(const double *x, size_t n, const double *y, size_t m)
{
	struct trimmed a, b;
	double both;

	trim(&a, x, n);
	trim(&b, y, m);
	both = a.error2 + b.error2;
	if (!(both > 0))
		return rank_test(x, n, y, m);
	return student_tails((b.mean - a.mean) / sqrt(both),
			     both * both /
				     (a.error2 * a.error2 / a.df +
				      b.error2 * b.error2 / b.df));
}
