/* SPDX-License-Identifier: MIT */
#ifndef CHANGE_POINTS_H
#define CHANGE_POINTS_H

#include <stddef.h>

#define CHANGE_LEAST 8	 /* values, below which no change can be told */
#define CHANGE_MAX   512 /* values that are looked at: the last ones */

/* From value @at on (counted from 0) the level is another. */
struct change {
	size_t at;
	double p;
	double shift; /* of the medians of the two stretches beside it */
};

/**
 * change_find() - where a series in order of time changes its level.
 * @v: @n finite values.  @alpha: of finding anything where there is nothing.
 * @out: room for @room changes; they come out in order of time.
 *
 * The split with the most extreme standardised rank sum, judged by 9999 random
 * orders of the same values (a fixed seed: the same series always gives the
 * same answer), and again within both stretches if it is told from chance.
 *
 * Source: Pettitt, "A Non-Parametric Approach to the Change-Point Problem",
 * Applied Statistics 28(2), 1979; binary segmentation: Scott and Knott,
 * Biometrics 30(3), 1974.
 *
 * Return: how many changes.
 */
size_t change_find(struct change *out, size_t room, const double *v, size_t n,
		   double alpha);

/* change_shift() - how much higher the median of @v is from @at to @to than
 * from
 * @from to @at; none of the stretches is empty. */
double change_shift(const double *v, size_t from, size_t at, size_t to);

/* change_least() - how many values there must be for a change to be told from
 * chance at @alpha, if it is in their middle; elsewhere it takes more. */
size_t change_least(double alpha);

#endif
