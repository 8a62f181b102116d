/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "leaks.h"
#include "rank.h"
#include "tests.h"
#include "uniform.h"

/*
 * Critical values of U at 5 %, two-sided: the table that Mann and Whitney
 * began (1947) and Auble extended to 20 ("Extended tables for the
 * Mann-Whitney statistic", Bulletin of the Institute of Educational Research
 * at Indiana University 1(2), 1953), as printed in textbooks.
 */
TEST(critical_values)
{
	static const struct {
		size_t n, m;
		long u;
	} table[] = {
		{ 5, 5, 2 },	{ 5, 10, 8 },	 { 5, 20, 20 },
		{ 6, 6, 5 },	{ 6, 10, 11 },	 { 6, 20, 27 },
		{ 7, 7, 8 },	{ 7, 20, 34 },	 { 8, 8, 13 },
		{ 8, 20, 41 },	{ 9, 9, 17 },	 { 9, 20, 48 },
		{ 10, 10, 23 }, { 10, 20, 55 },	 { 11, 11, 30 },
		{ 12, 12, 37 }, { 13, 13, 45 },	 { 14, 14, 55 },
		{ 15, 15, 64 }, { 16, 16, 75 },	 { 17, 17, 87 },
		{ 18, 18, 99 }, { 19, 19, 113 }, { 20, 20, 127 },
		{ 20, 10, 55 }, { 2, 8, 0 },	 { 3, 5, 0 },
		{ 3, 4, -1 },	{ 4, 4, 0 },
	};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		long u = rank_critical(table[i].n, table[i].m);

		if (u != table[i].u) {
			printf("# n %zu, m %zu: %ld, not %ld\n", table[i].n,
			       table[i].m, u, table[i].u);
			wrong++;
		}
	}
	OK(!wrong, "critical values of U as in the table");
	OK(labs(rank_critical(50, 51) - rank_critical(50, 50)) < 40,
	   "the approximation goes on where the exact one ends");
}

/*
 * Permeability of the human chorioamnion: Hollander and Wolfe,
 * "Nonparametric Statistical Methods", 1973, examples 4.1 and 4.3; also the
 * example of R's wilcox.test().  W = 35, P(W >= 35) = 0.1272; shift 0.305.
 */
static const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45,
			       1.38, 1.91, 1.64, 0.73, 1.46 };
static const double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

TEST(textbook)
{
	struct rank_shift s;

	rank_shift(&s, early, 5, term, 10);
	OK_NEAR(s.shift, 0.305, 1e-12, "Hodges and Lehmann's shift");
	OK(s.lo < 0 && s.hi > 0.305, "an interval that holds 0");
}

/* Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, tables
 * 26.1 and 26.2. */
TEST(normal_tail)
{
	OK_NEAR(rank_normal_tail(0), 0.5, 1e-15, "half lies above 0");
	OK_NEAR(rank_normal_tail(1), 0.158655253931457, 1e-14, "above 1");
	OK_NEAR(rank_normal_tail(-1), 0.841344746068543, 1e-14, "above -1");
	OK_NEAR(rank_normal_tail(5) * 1e7, 2.866515719, 1e-8, "above 5");
}

TEST(by_hand)
{
	static const double low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 };
	static const double odd[] = { 1, 2, 3, 5 }, even[] = { 4, 6, 7, 8 };
	struct rank_shift s;

	OK_NEAR(rank_least_p(4, 4), 2.0 / 70, 1e-12,
		"no overlap: 2 of 70 ways");
	OK_NEAR(rank_divided(low, 4, high, 4, 4.5), 2.0 / 70, 1e-12,
		"Fisher's lady and her tea, all right");
	OK_NEAR(rank_divided(odd, 4, even, 4, 4.5), 34.0 / 70, 1e-12,
		"3 of 4 right");
	OK_NEAR(rank_divided(low, 4, high, 4, 9), 1, 1e-12, "none is greater");
	rank_shift(&s, low, 4, high, 4);
	OK_NEAR(s.shift, 4, 1e-12, "a shift of 4");
	OK_NEAR(s.lo, 1, 1e-12, "from the smallest difference");
	OK_NEAR(s.hi, 7, 1e-12, "to the largest, for U = 0");
	rank_shift(&s, low, 3, high, 3);
	OK(isinf(s.lo) && isinf(s.hi), "three of each are too few");
}

/* Skewed, as times are: a floor and a long tail. */
static double draw(double scale)
{
	return log(scale * (100 - 3 * log(uniform())));
}

/* Shares of 2000 made-up sessions in which the interval holds the truth and
 * in which the test at 5 % says "different". */
static void session(size_t n, double effect, double *covered, double *found)
{
	double x[20], y[20];
	int hold = 0, differ = 0;

	state = 88172645463325252u;
	for (int i = 0; i < 2000; i++) {
		struct rank_shift s;

		for (size_t j = 0; j < n; j++) {
			x[j] = draw(1);
			y[j] = draw(1 + effect);
		}
		rank_shift(&s, x, n, y, n);
		hold += s.lo <= log1p(effect) && log1p(effect) <= s.hi;
		differ += trimmed_test(x, n, y, n) < 0.05;
	}
	*covered = hold / 2000.0;
	*found = differ / 2000.0;
}

/* The seed is fixed, so these are always the same; the bounds leave four
 * standard errors (0.02) for another generator. */
TEST(coverage)
{
	double covered, found;

	session(10, 0, &covered, &found);
	printf("# n 10, no effect: covered %.4f, found %.4f\n", covered, found);
	OK(covered > 0.935, "10 against 10: the interval holds the truth");
	OK(found < 0.065, "and false alarms stay at 5 %");
	OK(found > 0.03, "but are no rarer: 10 against 10 can have 4.3 %");
	session(10, 0.05, &covered, &found);
	printf("# n 10, 5 %%: covered %.4f, found %.4f\n", covered, found);
	OK(covered > 0.935, "also where there is an effect of 5 %");
	OK(found > 0.9, "which is found");
	session(6, 0, &covered, &found);
	OK(covered > 0.935 && found < 0.065, "6 against 6");
	session(20, 0, &covered, &found);
	OK(covered > 0.935 && found < 0.065, "20 against 20");
}

/* Share of all orders of @x that are as far from no trend: by trying all. */
static double all_orders(double *x, size_t n, size_t at, double score,
			 double *all)
{
	double far = 0;

	if (at == n) {
		double s = 0;

		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				s += (x[j] > x[i]) - (x[j] < x[i]);
		++*all;
		return fabs(s) >= fabs(score);
	}
	for (size_t i = at; i < n; i++) {
		const double a = x[at], b = x[i];

		x[at] = b;
		x[i] = a;
		far += all_orders(x, n, at + 1, score, all);
		x[at] = a;
		x[i] = b;
	}
	return far;
}

static void trend_is(double *x, size_t n, const char *what)
{
	double score = 0, all = 0, far;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			score += (x[j] > x[i]) - (x[j] < x[i]);
	far = all_orders(x, n, 0, score, &all);
	OK_NEAR(rank_trend(x, n), far / all, 1e-12, what);
}

TEST(trends)
{
	static double create[] = { 6.6,	 6.6,  8.8,  11.5, 14.0,
				   16.5, 18.3, 20.3, 21.2, 22.9 };
	static double rising[] = { 1, 2, 3, 4, 5, 6 };
	static double mixed[] = { 3, 1, 4, 1, 5, 9, 2 };
	static double falling[] = { 7, 7, 5, 5, 5, 2, 1 };
	static double flat[] = { 4, 4, 4, 4, 4 };
	static double many[RANK_MAX];
	size_t alarms = 0;

	OK_NEAR(rank_trend(rising, 6), 2.0 / 720, 1e-15,
		"six in order: two of 720 orders");
	trend_is(mixed, 7, "a tie, no trend: as all orders say");
	trend_is(falling, 7, "ties, falling: as all orders say");
	OK(rank_trend(flat, 5) == 1, "all alike: no trend");
	/* Without the tie 2 of 10! orders; with it each stands twice. */
	OK_NEAR(rank_trend(create, 10), 4.0 / 3628800, 1e-15,
		"creating files, round by round");
	for (size_t i = 0; i < 4000; i++) {
		for (size_t j = 0; j < 10; j++)
			many[j] = draw(1);
		alarms += rank_trend(many, 10) < 0.05;
	}
	OK(alarms > 100 && alarms < 260, "false alarms of 4000: at most 5 %");
	for (size_t j = 0; j < RANK_MAX; j++)
		many[j] = draw(1);
	OK(rank_trend(many, RANK_MAX) > 0.001, "a thousand without a trend");
	for (size_t j = 0; j < RANK_MAX; j++)
		many[j] += 0.002 * (double)j;
	OK(rank_trend(many, RANK_MAX) < 1e-6, "a thousand with one");
	for (size_t j = 0; j < 60; j++)
		many[j] = (double)j;
	OK(rank_trend(many, 60) < 1e-60, "sixty in order, exact");
}

TEST(discoveries)
{
	/* The example of Benjamini and Hochberg 1995, section 3.2: of these 15
	 * the first four are called at 5 %. */
	static const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
				    0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
				    0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double q[15];
	size_t called = 0;

	rank_false_discovery(q, p, 15);
	for (size_t i = 0; i < 15; i++)
		called += q[i] <= 0.05;
	OK(called == 4, "false discovery rate: the authors' example");
	OK_NEAR(q[3], 0.0095 * 15 / 4, 1e-12, "and its adjusted value");
}
