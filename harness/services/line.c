/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <math.h>

#include "alloc.h"
#include "stats.h"

void bench_derive_line(struct bench *b, const char *axis,
		       const struct bench_case *const line[3])
{
	const struct case_definition *def = &bench_case_of(b, line[1])->def;
	double *x = text_alloc(2 * def->n_sources, sizeof(*x));
	double *y = x + def->n_sources;
	struct stats_line f;
	size_t n = 0;

	for (size_t i = 0; i < def->n_sources; i++) {
		x[n] = (double)case_int(&def->sources[i]->c, axis);
		y[n] = bench_value(b, &def->sources[i]->c);
		n += isfinite(y[n]);
	}
	if (stats_fit_line(&f, x, y, n) || !isfinite(f.r_squared)) {
		for (int i = 0; i < 3; i++)
			bench_derive_skip(b, line[i],
					  "a line needs three points, not all "
					  "equal: there are %zu",
					  n);
	} else {
		bench_derive_within(b, line[0], f.intercept, f.intercept_error);
		bench_derive_within(b, line[1], f.slope, f.slope_error);
		bench_derive(b, line[2], f.r_squared);
		bench_fact(b, line[0], "standard_error", f.intercept_error);
		bench_fact(b, line[1], "standard_error", f.slope_error);
	}
	free(x);
}
