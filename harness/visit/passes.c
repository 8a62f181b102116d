/* SPDX-License-Identifier: MIT */
/* Which cases are visited when, and for how long. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "budget.h"
#include "visit.h"

/* One more visit for each case of which something was set aside in this pass:
 * once, for what a place always has in it would be there again. */
static void make_up(struct bench *b)
{
	EACH_RUN (b, run)
		if (run->got.again && run->verdict.state == CASE_ASKED &&
		    !invocation_stop) {
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

/* In the first pass each case has its share of the time, an exclusive one all
 * of it; the time of cases that were not asked for is not spent. */
static void share_out(struct bench *b)
{
	double all = 0, asked = 0;

	EACH_RUN (b, run) {
		const double share = budget_share(weight_of(run));

		if (is_visited(run))
			asked += share;
		if (is_visited(run) ||
		    (run->verdict.state == CASE_UNSELECTED && !run->c.derived))
			all += share;
	}
	EACH_RUN (b, run) {
		run->got.time_ns =
			b->now.time_ns * budget_share(weight_of(run)) / all;
		if (!run->c.exclusive)
			run->got.time_ns /= VISIT_PASSES;
	}
	b->now.time_ns *= all > 0 ? asked / all : 1;
}

/* Of one sample, relative to the whole of it; NAN: there are none. */
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

/* Divide what the passes before left of the time among @visits more; samples
 * that were dropped are lacking. */
static void divide(struct bench *b, struct budget_case *cases,
		   unsigned int visits)
{
	double left_ns = b->now.time_ns;
	size_t n = 0;

	EACH_RUN (b, run) {
		left_ns -= run->got.sampled_ns;
		run->got.time_ns = 0;
		if (!is_visited(run) || run->c.exclusive || !run->got.sampled)
			continue;
		cases[n++] = (struct budget_case) {
			.weight = weight_of(run),
			.visit_ns = run->got.visit_ns,
			.sample_ns = run->got.sampled_ns / run->got.sampled,
			.spread = spread_of(b, run),
			.samples = run->got.sampled - run->got.lost,
		};
	}
	budget_divide(cases, n, left_ns, visits);
	n = 0;
	EACH_RUN (b, run) {
		if (is_visited(run) && !run->c.exclusive && run->got.sampled)
			run->got.time_ns = cases[n++].time_ns / visits;
	}
}

int visit_cases(struct bench *b)
{
	size_t *order = calloc(b->n_runs + 1, sizeof(*order));
	struct budget_case *cases = calloc(b->n_runs + 1, sizeof(*cases));
	const int err = order && cases ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < b->n_runs; i++)
		order[i] = i;
	share_out(b);
	for (unsigned int pass = 0; !err && pass < VISIT_PASSES; pass++) {
		if (pass > 0)
			divide(b, cases, VISIT_PASSES - pass);
		shuffle(b, order, b->n_runs);
		for (size_t i = 0; i < b->n_runs && !invocation_stop; i++) {
			struct case_run *run = b->runs[order[i]];

			if (is_visited(run) && (!pass || run->got.time_ns > 0))
				visit_case(b, run);
		}
		make_up(b);
	}
	free(cases);
	free(order);
	return err;
}
