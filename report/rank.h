/* SPDX-License-Identifier: MIT */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Statistics between two groups of independent values that assume nothing
 * but independence and (for the shift) the same shape.  Values are finite.
 */
#define RANK_MAX 1000 /* values in a group */

/* rank_normal_tail() - how likely a standard normal value is above @z. */
double rank_normal_tail(double z);

/* rank_least_p() - the least p-value that @n and @m values can reach. */
double rank_least_p(size_t n, size_t m);

/* rank_divided() - two-sided p-value of Fisher's exact test that as many of
 * both groups are greater than @at. */
double rank_divided(const double *x, size_t n, const double *y, size_t m,
		    double at);

/**
 * rank_critical() - the greatest U of Mann and Whitney with P(U <= it) <= 2.5 %
 * if the groups are alike, without ties; -1 if there is none.
 *
 * Exact up to 100 values in all, beyond that by the normal distribution.
 *
 * Source: Mann and Whitney, "On a Test of Whether one of Two Random Variables
 * is Stochastically Larger than the Other", Annals of Mathematical Statistics
 * 18(1), 1947.
 */
long rank_critical(size_t n, size_t m);

/* How much greater y is than x. */
struct rank_shift {
	double shift;
	double lo, hi; /* -INFINITY, INFINITY where too few values are there */
};

/**
 * rank_shift() - Hodges and Lehmann's estimate: the median of all differences
 * y - x, with an interval that holds it in 95 % of cases or more.
 *
 * Source: Hodges and Lehmann, "Estimates of Location Based on Rank Tests",
 * Annals of Mathematical Statistics 34(2), 1963; the interval from the order
 * statistics of the differences: Hollander, Wolfe and Chicken,
 * "Nonparametric Statistical Methods", 3rd ed., 2014, section 4.3.
 */
void rank_shift(struct rank_shift *out, const double *x, size_t n,
		const double *y, size_t m);

/* rank_lesser() - of a change of the times and of the cycles (logarithms) what
 * both bear out: the lesser one, 0 if they point to different sides. */
double rank_lesser(double time, double cycles);

/**
 * rank_false_discovery() - p-values adjusted for having made @n tests, so that
 * of those called at a level at most that share is called wrongly.
 *
 * Source: Benjamini and Hochberg, "Controlling the False Discovery Rate",
 * Journal of the Royal Statistical Society B 57(1), 1995.
 */
void rank_false_discovery(double *adjusted, const double *p, size_t n);

/**
 * rank_trend() - two-sided p-value of Kendall's test that values rise or fall
 * with their order.
 * @x: @n values in order of time, 2 to RANK_MAX.
 *
 * Exact up to 60 values, given the ties that there are: the share of all orders
 * of these values that are as far from the expected number of pairs in
 * order.  Beyond that the normal approximation with the correction for ties.
 *
 * Source: Kendall, "A New Measure of Rank Correlation", Biometrika 30, 1938;
 * Mann, "Nonparametric Tests Against Trend", Econometrica 13(3), 1945.
 */
double rank_trend(const double *x, size_t n);

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
 * For groups without any scatter (all readings are the same step of the clock)
 * it is Fisher's test of how many values lie on which side of the middle.
 *
 * Source: Yuen, "The Two-Sample Trimmed t for Unequal Population Variances",
 * Biometrika 61(1), 1974.
 */
double trimmed_test(const double *x, size_t n, const double *y, size_t m);

/*
 * Two sides whose rounds may fall in two groups each (grade.h).  How often
 * the machine was in which state is no property of what is compared, so levels
 * are compared with levels.
 */
#define STRATA_MAX 3

/* The rounds of one side, divided at the same places as those of the other. */
struct strata {
	size_t n; /* of levels; 1: nothing was divided */
	double cut[STRATA_MAX - 1];
};

/**
 * strata_find() - where to divide the rounds of both sides.
 * @x, @y: logarithms, n and m.
 *
 * Where a side falls in two groups both are divided in the gap between them.
 * Where both do and the gaps have a part in common they are divided there: low
 * is compared with low, high with high.  Where they have none, both are
 * divided at both places: what is compared then is the high level of one side
 * with the low level of the other, the nearer ones.  A side of one group
 * falls to the level on its side of the gap.  Where none falls in two groups,
 * but both together do and two rounds or more are in the group of which their
 * side has fewer (A 5 low and 1 high, B 1 low and 5 high), that gap counts.
 *
 * A side that has values all over the gap of the other one has not the same
 * states, and nothing says with which level it is to be compared: a place is
 * one to divide at only if a gap as wide as STATES_GAP remains of both sides
 * together.
 *
 * Return: false in that case.
 */
bool strata_find(struct strata *l, const double *x, size_t n, const double *y,
		 size_t m);

/* strata_of() - the level of a value, 0 the lowest. */
size_t strata_of(const struct strata *l, double x);

#endif
