/* SPDX-License-Identifier: MIT */
#ifndef STRATA_H
#define STRATA_H

#include <stdbool.h>
#include <stddef.h>

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

/* strata_share() - two-sided p-value of Fisher's exact test that both sides
 * were in the lowest level equally often. */
double strata_share(const struct strata *l, const double *x, size_t n,
		    const double *y, size_t m);

#endif
