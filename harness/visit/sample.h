/* SPDX-License-Identifier: MIT */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timer.h"

/*
 * Sampling and estimating, without a clock of its own: batches are timed by a
 * callback, so that all of it can be tested on made-up clocks.  Ticks are raw
 * everywhere (the timer's overhead is in them) until an estimator takes it
 * out.  Only the step, the overhead and the rate of a timer (@clock) are used.
 */

/* One batch: do the operation @iters times and store the raw ticks; @ticks may
 * be NULL: a batch that is not recorded.  Return 0 or a negative number, which
 * ends the sampling and is handed through. */
typedef int sample_fn(void *arg, uint64_t iters, uint64_t *ticks);

/* A growing array of doubles; all zero is an empty one.  stats_quantile() and
 * stats_median_error() of a copy; NAN of nothing. */
struct sample_vec {
	double *v;
	size_t n;
};

void sample_push(struct sample_vec *vec, double x);
void sample_free(struct sample_vec *vec);
double sample_quantile(const struct sample_vec *vec, double p);
double sample_median_error(const struct sample_vec *vec);
static inline double sample_median(const struct sample_vec *vec)
{
	return sample_quantile(vec, 0.5);
}

/* All batches of one repeated operation. */
struct sample_series {
	uint64_t iters; /* n: operations in the shorter batch */
	struct sample_vec short_ticks, long_ticks; /* batches of n and of 2n */
	struct sample_vec diff; /* (T2n - Tn) / n of each ABBA quad */
	bool capped; /* all the iterations allowed did not fill a batch */
};

/* sample_cut() - only the first @quads are left. */
void sample_cut(struct sample_series *s, size_t quads);
void sample_series_free(struct sample_series *s);

/* sample_batch_ticks() - how long a batch must last: the most of 1000 quanta,
 * 100 overheads and 20 us.  sample_pilot() - double the number of operations
 * until one does, or @max_iters: what is still too short then costs nothing.
 * @cold gets the raw ticks of the very first batch, which is one operation. */
double sample_batch_ticks(const struct timer *clock);
int sample_pilot(sample_fn *fn, void *arg, const struct timer *clock,
		 uint64_t max_iters, uint64_t *iters, double *cold);

/* Findings of sample_settle(). */
struct sample_settled {
	double best_ticks;    /* of the fastest batch */
	unsigned int batches; /* how many there were */
	bool still_falling;   /* @max_ticks were over before it settled */
};

/**
 * sample_settle() - warm up: batches of @iters until they get no faster: until
 * the last six are not faster than the six before, or @max_ticks are over.
 * Faster says Mann and Whitney's test (one-sided, exact, 5 %); six are the
 * fewest with which it says so even if one of the last was disturbed and took
 * longest.
 */
int sample_settle(sample_fn *fn, void *arg, uint64_t iters, double max_ticks,
		  struct sample_settled *out);

/* sample_quad() - batches of n, 2n, 2n, n operations (ABBA: a drift of the
 * clock or the load cancels), added to @s.  A batch that is not recorded comes
 * first: the code between two quads leaves the core in another state, and a
 * first batch that costs k more makes the difference k / 2n too small. */
int sample_quad(sample_fn *fn, void *arg, struct sample_series *s);

/* How long the last quads of a series took (with those of its baseline), what
 * came before them, and how long one waited for a CPU in all of that; ticks. */
struct quad_times {
	struct sample_vec quad;
	double before, waited;
};

/**
 * sample_drop_waits() - drop the quads that waited for more than @share of
 * their time, from both series.
 *
 * The kernel says only how long all waited; a wait makes a quad longer than the
 * shortest, so it was in the longest ones.  A wait that no quad is long enough
 * for was in what came before them, or else in all alike: then all are dropped.
 *
 * Return: how many.
 */
unsigned int sample_drop_waits(struct sample_series *s,
			       struct sample_series *base, struct quad_times *t,
			       double share);

/* The estimate of a series or a list of events, in ticks for one operation. */
struct sample_estimate {
	double value;
	double resolution; /* least cost that can be measured */
	double constant;   /* ticks of a batch that do not repeat */
};

/**
 * sample_difference() - the median of the ABBA differences, or, @of_least,
 * (min T2n - min Tn) / n.
 *
 * resolution: three standard errors of that median (1.2533 x 1.4826 x MAD /
 * sqrt(quads); more of them for few quads), and at least one quantum over all
 * operations of a batch; of a series that is capped, a whole batch over its
 * operations: what did not fill one costs less than that, and no jitter of the
 * clock makes it a result.
 */
void sample_difference(const struct sample_series *s, const struct timer *clock,
		       bool of_least, struct sample_estimate *out);

/* sample_per_operation() - all batches as ticks for one operation, the constant
 * part taken out; @out gets short_ticks.n + long_ticks.n values. */
void sample_per_operation(const struct sample_series *s, double constant,
			  double *out);

/**
 * sample_grouped_median() - the median of events that a clock with steps timed.
 * @sorted: raw ticks, ascending; @n of them, at least 1.
 *
 * A reading is the time rounded down to a step, so an event of 1.4 steps shows
 * one step or two, and the plain median is always a whole number of steps. Here
 * each value stands for the step around it, and the median lies where half of
 * the events are below.  The events begin at random within a step.  For
 * events that all take the same time it is within 0.09 steps of that time; the
 * wider they scatter, the closer.
 */
double sample_grouped_median(const double *sorted, size_t n,
			     double quantum_ticks);

#endif
