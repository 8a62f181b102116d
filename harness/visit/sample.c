/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "stats.h"

#define BATCH_QUANTA	1000
#define BATCH_OVERHEADS 100
#define BATCH_S		20e-6
#define BLOCK		6 /* batches, see sample_settle() */
#define BLOCK_FASTER	7 /* U of two blocks: 43 of 924 orders have no more */

void sample_push(struct sample_vec *vec, double x)
{
	vec->v = text_grow(vec->v, vec->n, sizeof(*vec->v));
	vec->v[vec->n++] = x;
}

void sample_free(struct sample_vec *vec)
{
	free(vec->v);
	memset(vec, 0, sizeof(*vec));
}

void sample_series_free(struct sample_series *s)
{
	sample_free(&s->short_ticks);
	sample_free(&s->long_ticks);
	sample_free(&s->diff);
}

double sample_batch_ticks(const struct timer *clock)
{
	return fmax(BATCH_S * clock->hz,
		    fmax(BATCH_QUANTA * clock->quantum_ticks,
			 BATCH_OVERHEADS * clock->overhead_ticks));
}

int sample_pilot(sample_fn *fn, void *arg, const struct timer *clock,
		 uint64_t max_iters, uint64_t *iters, double *cold)
{
	const double want = sample_batch_ticks(clock);
	uint64_t ticks;
	int err;

	err = fn(arg, 1, &ticks);
	if (err)
		return err;
	*cold = (double)ticks;
	for (*iters = 1; *iters < max_iters; *iters *= 2) {
		err = fn(arg, *iters, &ticks);
		if (err)
			return err;
		/* Once more: an interrupt may have made it long. */
		if ((double)ticks >= want) {
			err = fn(arg, *iters, &ticks);
			if (err || (double)ticks >= want)
				return err;
		}
	}
	return 0;
}

/* Mann and Whitney's U of the last BLOCK of @t and the BLOCK before: how many
 * pairs have the later one slower; equal ones count half. */
static bool later_are_faster(const double *t)
{
	double u = 0;

	for (int i = 0; i < BLOCK; i++)
		for (int k = BLOCK; k < 2 * BLOCK; k++)
			u += (t[k] > t[i]) + (t[k] == t[i]) / 2.0;
	return u <= BLOCK_FASTER;
}

int sample_settle(sample_fn *fn, void *arg, uint64_t iters, double max_ticks,
		  struct sample_settled *out)
{
	double last[2 * BLOCK] = { 0 }, spent = 0;

	*out = (struct sample_settled) { .still_falling = true,
					 .best_ticks = INFINITY };
	while (spent < max_ticks && out->still_falling) {
		uint64_t ticks;
		int err = fn(arg, iters, &ticks);

		if (err)
			return err;
		memmove(last, last + 1, sizeof(last) - sizeof(last[0]));
		last[2 * BLOCK - 1] = (double)ticks;
		out->best_ticks = fmin(out->best_ticks, (double)ticks);
		out->batches++;
		spent += (double)ticks;
		out->still_falling =
			out->batches < 2 * BLOCK || later_are_faster(last);
	}
	return 0;
}

int sample_quad(sample_fn *fn, void *arg, struct sample_series *s)
{
	const uint64_t n = s->iters;
	uint64_t t[4];
	double diff;
	int err = fn(arg, n, NULL);

	for (int i = 0; !err && i < 4; i++) {
		bool is_long = i == 1 || i == 2;

		err = fn(arg, is_long ? 2 * n : n, &t[i]);
	}
	if (err)
		return err;
	diff = ((double)t[1] + (double)t[2] - (double)t[0] - (double)t[3]) /
	       (2 * (double)n);
	sample_push(&s->short_ticks, (double)t[0]);
	sample_push(&s->long_ticks, (double)t[1]);
	sample_push(&s->long_ticks, (double)t[2]);
	sample_push(&s->short_ticks, (double)t[3]);
	sample_push(&s->diff, diff);
	return 0;
}

void sample_cut(struct sample_series *s, size_t quads)
{
	s->diff.n = quads;
	s->short_ticks.n = s->long_ticks.n = 2 * quads;
}

/* Quad @from takes the place of @to. */
static void move_quad(struct sample_series *s, size_t from, size_t to)
{
	if (!s->diff.n)
		return;
	s->diff.v[to] = s->diff.v[from];
	for (int i = 0; i < 2; i++) {
		s->short_ticks.v[2 * to + i] = s->short_ticks.v[2 * from + i];
		s->long_ticks.v[2 * to + i] = s->long_ticks.v[2 * from + i];
	}
}

unsigned int sample_drop_waits(struct sample_series *s,
			       struct sample_series *base, struct quad_times *t,
			       double share)
{
	const size_t n = t->quad.n, first = s->diff.n - n;
	const double least = sample_quantile(&t->quad, 0);
	double *ticks = t->quad.v, all = 0;
	size_t kept = 0;

	if (!n)
		return 0;
	for (;;) {
		size_t longest = 0;
		double wait;

		for (size_t i = 1; i < n; i++)
			if (ticks[i] > ticks[longest])
				longest = i;
		wait = fmin(t->waited, ticks[longest] - least);
		if (!(wait > share * ticks[longest]))
			break;
		t->waited -= wait;
		ticks[longest] = 0; /* dropped */
	}
	for (size_t i = 0; i < n; i++)
		all += ticks[i];
	if (t->waited - t->before > share * all)
		memset(ticks, 0, n * sizeof(*ticks));
	for (size_t i = 0; i < n; i++)
		if (ticks[i] > 0) {
			move_quad(s, first + i, first + kept);
			move_quad(base, first + i, first + kept);
			kept++;
		}
	sample_cut(s, first + kept);
	if (base->diff.n)
		sample_cut(base, first + kept);
	return (unsigned int)(n - kept);
}

static double *copy_of(const struct sample_vec *vec)
{
	double *copy = text_alloc(vec->n, sizeof(*copy));

	for (size_t i = 0; i < vec->n; i++)
		copy[i] = vec->v[i];
	return copy;
}

double sample_quantile(const struct sample_vec *vec, double p)
{
	double *x = copy_of(vec), q = NAN;

	stats_sort(x, vec->n);
	if (vec->n)
		q = stats_quantile(x, vec->n, p);
	free(x);
	return q;
}

double sample_median_error(const struct sample_vec *vec)
{
	double *x = copy_of(vec), error = NAN;

	if (vec->n)
		error = stats_median_error(x, vec->n);
	free(x);
	return error;
}

void sample_difference(const struct sample_series *s, const struct timer *clock,
		       bool of_least, struct sample_estimate *out)
{
	const double n = (double)s->iters;
	const double p = of_least ? 0 : 0.5;
	const double a = sample_quantile(&s->short_ticks, p);
	const double b = sample_quantile(&s->long_ticks, p);
	double error = sample_median_error(&s->diff);

	if (s->capped)
		error = fmax(error, sample_batch_ticks(clock) / n);
	out->value = of_least ? (b - a) / n : sample_median(&s->diff);
	out->resolution = fmax(error, clock->quantum_ticks / n);
	/* T = constant + n x cost; noise of the batches is no constant: keep it
	 * plausible. */
	out->constant = fmin(fmax(2 * a - b, 0), 10 * clock->overhead_ticks);
}

void sample_per_operation(const struct sample_series *s, double constant,
			  double *out)
{
	const double n = (double)s->iters;

	for (size_t i = 0; i < s->short_ticks.n; i++)
		*out++ = (s->short_ticks.v[i] - constant) / n;
	for (size_t i = 0; i < s->long_ticks.n; i++)
		*out++ = (s->long_ticks.v[i] - constant) / (2 * n);
}

double sample_grouped_median(const double *sorted, size_t n,
			     double quantum_ticks)
{
	const double step =
		round(stats_quantile(sorted, n, 0.5) / quantum_ticks);
	const double low = (step - 0.5) * quantum_ticks;
	size_t below = 0, within = 0;

	for (size_t i = 0; i < n; i++) {
		below += sorted[i] < low;
		within += sorted[i] >= low && sorted[i] < low + quantum_ticks;
	}
	/* With an even number of events half a step may lie between the two. */
	if (!within)
		return stats_quantile(sorted, n, 0.5);
	return low +
	       quantum_ticks * ((double)n / 2 - (double)below) / (double)within;
}
