/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>

#include "fit.h"

int fit_line(struct fit *f, const double *x, const double *y, size_t n)
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
