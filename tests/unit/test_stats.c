/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats.h"
#include "tests.h"
#include "uniform.h"

TEST(one_sample)
{
	double x[] = { 7 };
	struct stats st;

	stats_compute(&st, x, 1);
	OK_NEAR(st.p50, 7, 0, "one sample: median is the sample");
	OK_NEAR(st.p999, 7, 0, "one sample: so is every percentile");
	OK_NEAR(st.stddev, 0, 0, "one sample: no spread");
	OK_NEAR(stats_mad(x, 1), 0, 0, "one sample: no deviation");
}

TEST(known_answers)
{
	/* Checked by hand: mean 5, sum of squares 32, so stddev sqrt(32/7). */
	double x[] = { 9, 2, 4, 5, 4, 7, 4, 5 };
	struct stats st;

	stats_compute(&st, x, 8);
	OK(st.n == 8 && st.min == 2 && st.max == 9, "n, min and max");
	OK_NEAR(st.mean, 5, 1e-12, "mean");
	OK_NEAR(st.stddev, sqrt(32.0 / 7), 1e-12, "stddev divides by n - 1");
	OK_NEAR(st.p50, 4.5, 1e-12, "median of an even number interpolates");
	OK(x[0] == 2 && x[7] == 9, "samples are left in order");
	/* Deviations from 4.5: 2.5 .5 .5 .5 .5 .5 2.5 4.5. */
	OK_NEAR(stats_mad(x, 8), 0.5, 1e-12, "median absolute deviation");
}

TEST(quantiles)
{
	/* R: quantile(c(1, 2, 3, 4, 10), c(.1, .25, .9), type = 7). */
	const double x[] = { 1, 2, 3, 4, 10 };
	double odd[] = { 3, 1, 2 };

	OK_NEAR(stats_quantile(x, 5, 0.1), 1.4, 1e-12, "R-7, p = 0.1");
	OK_NEAR(stats_quantile(x, 5, 0.25), 2, 1e-12, "R-7, p = 0.25");
	OK_NEAR(stats_quantile(x, 5, 0.9), 7.6, 1e-12, "R-7, p = 0.9");
	OK_NEAR(stats_quantile(x, 5, 0), 1, 0, "p = 0 is the least");
	OK_NEAR(stats_quantile(x, 5, 1), 10, 0, "p = 1 is the greatest");
	OK_NEAR(stats_median(odd, 3), 2, 0, "median of an odd number");
}

TEST(large_offset)
{
	double x[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3 };
	struct stats st;

	stats_compute(&st, x, 3);
	OK_NEAR(st.stddev, 1, 1e-9, "no cancellation at a large offset");
}

/* Ranks as in the tables of David and Nagaraja, and the coverage summed by
 * hand: 1 - 2 P(Binomial(n, 1/2) <= lo - 1). */
TEST(order_ranks)
{
	static const struct {
		size_t n, lo, hi;
		double coverage;
		const char *what;
	} want[] = {
		{ 5, 1, 5, 0, "n = 5 is too few for 95 %" },
		{ 6, 1, 6, 1 - 2 / 64.0, "n = 6: 1, 6" },
		{ 8, 1, 8, 1 - 2 / 256.0, "n = 8: 1, 8" },
		{ 9, 2, 8, 1 - 2 * 10 / 512.0, "n = 9: 2, 8" },
		{ 10, 2, 9, 1 - 2 * 11 / 1024.0, "n = 10: 2, 9" },
		{ 20, 6, 15, 1 - 2 * 21700 / 1048576.0, "n = 20: 6, 15" },
		{ 30, 10, 21, 0.957226, "n = 30: 10, 21" },
		{ 100, 40, 61, 0.964800, "n = 100: 40, 61" },
	};
	size_t lo, hi;

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		double got = stats_order_ranks(want[i].n, 0.95, &lo, &hi);

		OK(lo == want[i].lo && hi == want[i].hi, want[i].what);
		OK_NEAR(got, want[i].coverage, 1e-6, "its coverage");
	}
	OK(stats_order_ranks(1, 0.95, &lo, &hi) == 0 && lo == 1 && hi == 1,
	   "n = 1 has no interval");
	/* Normal approximation: 2500 -/+ 1.96 * sqrt(5000) / 2 = 2431, 2570. */
	OK(stats_order_ranks(5000, 0.95, &lo, &hi) >= 0.95 && lo + hi == 5001 &&
		   lo >= 2430 && lo <= 2432,
	   "n = 5000 does not underflow");
}

/* How often the interval holds the median of a skewed distribution (of which
 * it knows nothing): the seed is fixed, the bounds leave four standard
 * errors. */
TEST(coverage)
{
	static const size_t sizes[] = { 6, 10, 20 };
	const int sessions = 10000;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		size_t n = sizes[k], lo, hi;
		double want = stats_order_ranks(n, 0.95, &lo, &hi), x[20];
		int held = 0;

		for (int i = 0; i < sessions; i++) {
			for (size_t j = 0; j < n; j++)
				x[j] = -log(uniform());
			stats_sort(x, n);
			held += x[lo - 1] <= log(2) && log(2) <= x[hi - 1];
		}
		OK_NEAR((double)held / sessions, want,
			4 * sqrt(want * (1 - want) / sessions),
			"simulated coverage is the one that is promised");
	}
}

TEST(pooling)
{
	double all[] = { 2, 4, 4, 4, 5, 5, 7, 9, 1, 100, 42 };
	const size_t sizes[] = { 3, 1, 0, 5, 2 };
	struct stats_group out = { 0, NAN, NAN };
	struct stats st;
	size_t at = 0;

	for (size_t i = 0; i < 5; i++) {
		struct stats_group group = { 0, NAN, NAN };
		double part[8];

		if (!sizes[i]) {
			stats_pool(&out, &group);
			continue;
		}
		for (size_t k = 0; k < sizes[i]; k++)
			part[k] = all[at++];
		stats_compute(&st, part, sizes[i]);
		group = (struct stats_group) { st.n, st.mean, st.stddev };
		stats_pool(&out, &group);
	}
	stats_compute(&st, all, 11);
	OK(out.n == 11, "pool: counts add up");
	OK_NEAR(out.mean, st.mean, 1e-12, "pool: mean of all samples");
	OK_NEAR(out.stddev, st.stddev, 1e-12, "pool: stddev of all samples");
}
