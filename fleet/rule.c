/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank.h"
#include "stats.h"
#include "text.h"

#define NORMAL_MAD 1.4826 /* standard deviations of a normal value in a MAD */

/* A normal distribution: where its slowest fifth begins, and fleet_tail() of
 * its logarithm.  No row is taken for narrower. */
#define NORMAL_BASE 0.8416
#define NORMAL_TAIL 0.543

/* A fifth of what must be exceeded: a row that varies by less than that is
 * judged by its share alone, also where most nodes have the same value. */
#define SCALE_LEAST 0.006

#define FALSE_SHARE 1e-4 /* of the good nodes, in each family of rows */

/* However far the scores fall off: a row alone in having a heavy tail does not
 * show in the scores of most nodes. */
#define SCORE_LEAST 4

/* Beyond so many robust standard deviations no threshold is asked: chance has
 * no heavier tail than Student's t with 5 degrees of freedom in a row that is
 * made of many, and with 3 in a measured one.  One value in a hundred thousand
 * is so far out, or less. */
static const double sure_z[FLEET_FAMILIES] = {
	[FLEET_MADE] = 20,
	[FLEET_SELDOM] = 60,
	[FLEET_OFTEN] = HUGE_VAL,
};

bool fleet_is_sure(enum fleet_family family, double z)
{
	return z >= sure_z[family];
}

static const struct fleet_bounds all_bounds[] = {
	{ 40, 5, 0.03, true,
	  "slower by more than 3 % and 5 robust standard deviations, and "
	  "further out in some row than luck takes one node in 3000" },
	{ 8, 10, 0.10, false,
	  "slower by more than 10 % and 10 robust standard deviations: with "
	  "fewer than 40 nodes of a kind it is not known how far luck takes "
	  "the slowest" },
	{ 3, 10, 0.25, false,
	  "slower by more than 25 % and 10 robust standard deviations: with "
	  "fewer than 8 nodes of a kind no statement is sure, so look at a "
	  "second run (oscost fleet confirm)" },
};

const struct fleet_bounds *fleet_bounds_of(size_t n)
{
	for (size_t i = 0; i < sizeof(all_bounds) / sizeof(*all_bounds); i++)
		if (n >= all_bounds[i].nodes)
			return &all_bounds[i];
	return NULL;
}

struct fleet_tail fleet_tail(const double *falling, size_t n)
{
	const size_t in = n / 5, unsure = n / 20;
	struct fleet_tail t = { .base = falling[in],
				.share = (double)in / (double)n,
				.seen = in - unsure };
	double sum = (double)unsure * (falling[unsure] - t.base);

	for (size_t i = unsure; i < in; i++)
		sum += falling[i] - t.base;
	t.mean = sum / (double)t.seen;
	return t;
}

double fleet_threshold(const double *falling, size_t n)
{
	const struct fleet_tail t = fleet_tail(falling, n);
	/* A standard error for the estimate. */
	const double mean = t.mean * (1 + 1 / sqrt((double)t.seen));

	return fmax(SCORE_LEAST, t.base + mean * log(t.share / FALSE_SHARE));
}

static int falling_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

void fleet_falling(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), falling_order);
}

bool fleet_is_beyond(const struct fleet_level *level, double effect)
{
	const struct fleet_bounds *bounds = fleet_bounds_of(level->n);

	return bounds && effect > log1p(bounds->share) &&
	       effect > bounds->z * level->scale;
}

double fleet_effect(const struct fleet_level *level, double cost, double log_hz)
{
	const double time = cost - level->time;
	const double cycles = cost + log_hz - level->cycles;

	if (isnan(level->cycles))
		return time;
	if (isnan(level->time))
		return cycles;
	return rank_lesser(time, cycles);
}

/* The median of @n sums, and in *@mad how far they lie from it. */
static double median_of(double *work, const double *x, const double *more,
			size_t n, double *mad)
{
	double median;

	for (size_t i = 0; i < n; i++)
		work[i] = x[i] + (more ? more[i] : 0);
	median = stats_median(work, n);
	*mad = stats_mad(work, n);
	return median;
}

/* How far out the slow tail begins, and how heavy it is. */
static void set_tail(struct fleet_level *level, double *falling, size_t n)
{
	const double least = NORMAL_BASE * level->scale;
	struct fleet_tail t;

	level->base = log(least);
	level->tail = NORMAL_TAIL;
	if (n < all_bounds[0].nodes)
		return;
	fleet_falling(falling, n);
	for (size_t i = 0; i <= n / 5; i++)
		falling[i] = log(fmax(falling[i], least));
	t = fleet_tail(falling, n);
	level->base = t.base;
	level->tail = fmax(t.mean, NORMAL_TAIL);
}

void fleet_level_set(struct fleet_level *level, const double *cost,
		     const double *log_hz, size_t n, double *effects)
{
	double *work = text_alloc(n, sizeof(*work));
	double mad, mad_cycles;

	level->n = n;
	level->time = median_of(work, cost, NULL, n, &mad);
	level->cycles =
		log_hz ? median_of(work, cost, log_hz, n, &mad_cycles) : NAN;
	if (log_hz && n >= all_bounds[0].nodes)
		*(mad_cycles < mad ? &level->time : &level->cycles) = NAN;
	for (size_t i = 0; i < n; i++) {
		effects[i] =
			fleet_effect(level, cost[i], log_hz ? log_hz[i] : NAN);
		work[i] = fabs(effects[i]);
	}
	level->scale = fmax(NORMAL_MAD * stats_median(work, n), SCALE_LEAST);
	memcpy(work, effects, n * sizeof(*work));
	set_tail(level, work, n);
	free(work);
}

double fleet_score(const struct fleet_level *level, double effect)
{
	return effect > 0 ? (log(effect) - level->base) / level->tail
			  : -HUGE_VAL;
}

size_t fleet_seldom(size_t n)
{
	return 2 + n / 300;
}

size_t fleet_most(size_t n)
{
	const size_t third = n / 3 < 3 ? n / 3 : 3;

	return n / 10 > third ? n / 10 : third;
}
