/* SPDX-License-Identifier: MIT */
/* Which cases are visited when, and for how long. */
#include <math.h>
#include <stdlib.h>

#include "alloc.h"
#include "program.h"

/* One more visit for each case of which something was excluded in this pass:
 * once, for what a place always has in it would be there again. */
static void make_up(struct bench *b)
{
	EACH_RUN (b, run)
		if (run->got.again && run->verdict.state == CASE_ASKED) {
			run->got.made_up = true;
			visit_case(b, run);
		}
}

static void shuffle(struct bench *b, size_t *order, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = bench_random(b) % i, x = order[i - 1];

		order[i - 1] = order[k];
		order[k] = x;
	}
}

static bool is_visited(const struct case_run *run)
{
	return run->verdict.state == CASE_ASKED && !run->c.derived;
}

static double weight_of(const struct case_run *run)
{
	return run->choice.weighty ? BUDGET_CORE : 1;
}

/* Share in the time, relative to others, of a case of which nothing is known
 * but its @weight. */
static double share_of(double weight)
{
	return cbrt(weight * weight);
}

/* In the first pass each case has its share of the time, an exclusive one all
 * of it; the time of cases that were not asked for is not spent. */
static void share_out(struct bench *b)
{
	double all = 0, asked = 0;

	EACH_RUN (b, run) {
		const double share = share_of(weight_of(run));

		if (is_visited(run))
			asked += share;
		if (is_visited(run) ||
		    (run->verdict.state == CASE_UNSELECTED && !run->c.derived))
			all += share;
	}
	EACH_RUN (b, run) {
		run->got.time_ns =
			b->now.time_ns * share_of(weight_of(run)) / all;
		if (!run->c.exclusive)
			run->got.time_ns /= VISIT_PASSES;
	}
	b->now.time_ns *= all > 0 ? asked / all : 1;
}

/* Spread of a sample as a share of its value; NAN: no samples. */
static double spread_of(const struct bench *b, const struct case_run *run)
{
	const bool repeated = run->got.series.diff.n;
	const struct sample_vec *v =
		repeated ? &run->got.series.diff : &run->got.events;
	const double iters = repeated ? (double)run->got.series.iters : 1;
	const double level =
		repeated ? sample_median(&run->got.series.short_ticks) / iters
			 : fabs(sample_median(v));
	double spread = sample_median_error(v) * sqrt((double)v->n);

	if (!run->got.own_unit)
		spread = fmax(spread, b->timer.quantum_ticks / iters);
	return level > 0 ? spread / level : NAN;
}

/* Whether a pass before has told what its samples cost, and others may come. */
static bool is_divided(const struct case_run *run)
{
	return is_visited(run) && !run->c.exclusive && run->got.sampled;
}

static double sample_ns(const struct case_run *run)
{
	return run->got.sampled_ns / run->got.sampled;
}

/* The median of the spreads that are known and not zero; 1 if none is. */
static double typical_spread(const struct bench *b)
{
	struct sample_vec known = { 0 };
	double typical;

	EACH_RUN (b, run)
		if (is_divided(run) && run->got.spread > 0 &&
		    isfinite(run->got.spread))
			sample_push(&known, run->got.spread);
	typical = known.n ? sample_median(&known) : 1;
	sample_free(&known);
	return typical;
}

/* Samples that @run should have, relative to the other cases. */
static double wanted(const struct case_run *run, double typical)
{
	const double own = run->got.spread, spread = isnan(own) ? typical : own;

	return share_of(weight_of(run) * sqrt(spread * typical) /
			sample_ns(run));
}

/* Give each case what it lacks to @factor times its wish; samples that were
 * dropped are lacking.  Return: what that takes, ns. */
static double give(struct bench *b, double typical, double factor,
		   unsigned int visits)
{
	double sum = 0;

	EACH_RUN (b, run) {
		struct case_samples *got = &run->got;
		double more;

		got->time_ns = 0;
		if (!is_divided(run))
			continue;
		more = factor * wanted(run, typical) -
		       (got->sampled - got->lost);
		if (more < visits)
			continue;
		got->time_ns = more * sample_ns(run) / visits;
		sum += visits * (got->time_ns + got->visit_ns);
	}
	return sum;
}

void visit_divide(struct bench *b, double left_ns, unsigned int visits)
{
	const double typical = typical_spread(b);
	double factor = 0;

	/* The greatest factor that the time is enough for, bit by bit. */
	for (int bit = 80; bit > -20; bit--)
		if (give(b, typical, factor + ldexp(1, bit), visits) <= left_ns)
			factor += ldexp(1, bit);
	give(b, typical, factor, visits);
}

void visit_cases(struct bench *b)
{
	size_t *order = text_alloc(b->n_runs, sizeof(*order));

	for (size_t i = 0; i < b->n_runs; i++)
		order[i] = i;
	share_out(b);
	for (unsigned int pass = 0; pass < VISIT_PASSES; pass++) {
		double left_ns = b->now.time_ns;

		EACH_RUN (b, run) {
			left_ns -= run->got.sampled_ns;
			run->got.spread = spread_of(b, run);
		}
		if (pass > 0)
			visit_divide(b, left_ns, VISIT_PASSES - pass);
		shuffle(b, order, b->n_runs);
		for (size_t i = 0; i < b->n_runs; i++) {
			struct case_run *run = b->runs[order[i]];

			if (is_visited(run) && (!pass || run->got.time_ns > 0))
				visit_case(b, run);
		}
		make_up(b);
	}
	free(order);
}
