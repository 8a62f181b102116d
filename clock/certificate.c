// SPDX-License-Identifier: MIT
#include "certificate.h"

/* The caches and the branch predictor have seen a body after that many. */
#define WARM_UP 64

/* Intervals of which the least is taken where one number is wanted. */
#define TRIES 500

/* Samples at a time: half a kilobyte of the kernel's small stack. */
#define CHUNK 64

/* The mean of what is not disturbed: within two steps of the least. */
struct mean {
	uint64_t least, sum, n;
};

static void mean_add(struct mean *m, const struct certificate_ops *ops,
		     void *ctx, uint32_t n, uint64_t quantum, int counts)
{
	uint64_t ticks[8];
	uint32_t i;

	ops->take(ctx, n ? CERTIFICATE_CHAIN : CERTIFICATE_EMPTY, n, ticks, 8);
	for (i = 0; i < 8; i++) {
		if (ticks[i] < m->least)
			m->least = ticks[i];
		if (!counts || ticks[i] > m->least + 2 * quantum)
			continue;
		m->sum += ticks[i];
		m->n++;
	}
}

/* In 1024ths of a tick. */
static uint64_t mean_of(const struct mean *m)
{
	wide mean = (wide)(m->n ? m->sum : m->least) * 1024;

	if (m->n)
		(void)wide_div(&mean, m->n);
	return wide_u64(mean);
}

uint64_t certificate_seen(const struct certificate_ops *ops, void *ctx,
			  uint64_t quantum)
{
	/* Nothing, one chain, and two rows of chains: what a row's chains add
	 * to another does not depend on its ends. */
	static const uint32_t chains[] = { 0, 1, 8, 24 };
	struct mean mean[4] = { { .least = (uint64_t)-1 },
				{ .least = (uint64_t)-1 },
				{ .least = (uint64_t)-1 },
				{ .least = (uint64_t)-1 } };
	uint64_t at[4];
	wide pct;
	int i, k;

	/* In turn, so that a change of the core's frequency hits all. */
	for (i = 0; i < TRIES / 4; i++)
		for (k = 0; k < 4; k++)
			mean_add(&mean[k], ops, ctx, chains[k], quantum,
				 i >= TRIES / 16);
	for (k = 0; k < 4; k++)
		at[k] = mean_of(&mean[k]);
	if (at[1] <= at[0] || at[3] <= at[2])
		return 0;
	/* Percent, rounded; and the longer row has 16 chains more. */
	pct = (wide)(at[1] - at[0]) * 3200;
	(void)wide_div(&pct, at[3] - at[2]);
	return (wide_u64(pct) + 1) / 2;
}

/* One ensemble: @a of all samples, @q of those up to @bound. */
static void take_ensemble(const struct certificate_ops *ops, void *ctx,
			  enum certificate_body body, uint32_t n,
			  uint32_t samples, uint64_t bound, struct ensemble *q,
			  struct ensemble *a)
{
	uint64_t ticks[CHUNK];

	ensemble_start(q);
	ensemble_start(a);
	while (samples) {
		const uint32_t count = samples < CHUNK ? samples : CHUNK;
		uint32_t i;

		ops->take(ctx, body, n, ticks, count);
		for (i = 0; i < count; i++) {
			ensemble_add(a, ticks[i]);
			if (ticks[i] <= bound)
				ensemble_add(q, ticks[i]);
		}
		samples -= count;
	}
}

/* One ensemble after the other; @minima gets the least of each. */
static int take_series(const struct certificate_ops *ops, void *ctx,
		       enum certificate_body body, uint32_t ensembles,
		       uint32_t samples, struct certificate *c,
		       struct ensemble_figures *quiet,
		       struct ensemble_figures *all, uint64_t *minima)
{
	struct ensemble_series quiet_series, all_series;
	uint32_t j;

	ensemble_series_start(&quiet_series, c->clock.quantum);
	ensemble_series_start(&all_series, c->clock.quantum);
	for (j = 0; j < ensembles; j++) {
		struct ensemble_row quiet_row, all_row;
		struct ensemble q, a;

		if (ops->stop && ops->stop(ctx))
			return -1;
		take_ensemble(ops, ctx, body, j, WARM_UP, 0, &q, &a);
		take_ensemble(ops, ctx, body, j, samples,
			      ensemble_bound(a.min, c->clock.hz), &q, &a);
		if (body == CERTIFICATE_EMPTY)
			c->disturbed += a.n - q.n;
		ensemble_series_add(&quiet_series, &q, &quiet_row);
		ensemble_series_add(&all_series, &a, &all_row);
		minima[j] = quiet_row.min;
		ops->row(ctx, body, j, &quiet_row, &all_row);
	}
	ensemble_series_close(&quiet_series, quiet);
	ensemble_series_close(&all_series, all);
	return 0;
}

int certificate_take(struct certificate *c, const struct certificate_ops *ops,
		     void *ctx, uint32_t ensembles, uint32_t samples,
		     uint64_t *scratch)
{
	c->disturbed = 0;
	if (take_series(ops, ctx, CERTIFICATE_EMPTY, ensembles, samples, c,
			&c->empty, &c->empty_all, scratch) ||
	    take_series(ops, ctx, CERTIFICATE_LOOP, ensembles, samples, c,
			&c->loop, &c->loop_all, scratch))
		return -1;
	if (c->has_function &&
	    take_series(ops, ctx, CERTIFICATE_FUNCTION, ensembles, samples, c,
			&c->function, &c->function_all, scratch + ensembles))
		return -1;
	ensemble_resolve(&c->resolution, scratch, ensembles,
			 scratch + ensembles);
	c->clock.seen_pct = certificate_seen(ops, ctx, c->clock.quantum);
	c->faults = ensemble_judge(&c->empty, &c->loop, &c->clock);
	return 0;
}

/* The lines with which the paper closes a log, of any body; the same of all
 * samples stands beside it. */
static struct certificate_figure closing(const char *body, unsigned int i,
					 const struct ensemble_figures *f,
					 const struct ensemble_figures *all)
{
	const struct certificate_figure lines[] = {
		{ body, "min", "ticks", f->min, all->min, 0, .has_all = true },
		{ body, "spurious", "1", f->spurious, all->spurious, 0,
		  .has_all = true },
		{ body, "total_variance", "ticks^2", f->total_variance_milli,
		  all->total_variance_milli, 3, .has_all = true },
		{ body, "max_deviation", "ticks", f->max_deviation,
		  all->max_deviation, 0, .has_all = true },
		{ body, "var_of_variances", "ticks^4",
		  f->var_of_variances_micro, all->var_of_variances_micro, 6,
		  .has_all = true },
		{ body, "var_of_minima", "ticks^2", f->var_of_minima_milli,
		  all->var_of_minima_milli, 3, .has_all = true },
	};

	return lines[i];
}

/* Conclusions from the figures. */
static struct certificate_figure conclusion(unsigned int i,
					    const struct certificate *c)
{
	const struct ensemble_resolution *r = &c->resolution;
	const wide variance = c->empty.total_variance_milli;
	const uint64_t least = c->function.min, empty = c->empty.min;
	const bool unknown = !r->instructions;
	const struct certificate_figure lines[] = {
		{ "empty", "shortest_5pct", "ticks",
		  .value = ensemble_shortest(variance, 20) },
		{ "empty", "shortest_1pct", "ticks",
		  .value = ensemble_shortest(variance, 100) },
		{ "empty", "disturbed", "1", .value = c->disturbed },
		{ "loop", "resolution_instructions", "1", r->instructions,
		  .unknown = unknown },
		{ "loop", "resolution_ticks", "ticks", r->ticks,
		  .unknown = unknown },
		{ "chain", "seen_pct", "%", c->clock.seen_pct, .higher = true },
		{ "all", "verdict", "level", ensemble_verdict(c->faults),
		  .higher = true },
		{ "function", "cost", "ticks",
		  .value = least > empty ? least - empty : 0 },
	};

	return lines[i];
}

/* In the growing loop the variance of minima "is completely meaningless"
 * (the paper), so it has no row. */
#define EMPTY_LINES 6
#define LOOP_LINES  5
#define CONCLUSIONS 7 /* before the function's */

bool certificate_figure(const struct certificate *c, unsigned int i,
			struct certificate_figure *f)
{
	const unsigned int loop = EMPTY_LINES, done = loop + LOOP_LINES,
			   function = done + CONCLUSIONS,
			   cost = function + EMPTY_LINES;

	if (i > cost || (i >= function && !c->has_function))
		return false;
	*f = i < loop	    ? closing("empty", i, &c->empty, &c->empty_all)
	     : i < done	    ? closing("loop", i - loop, &c->loop, &c->loop_all)
	     : i < function ? conclusion(i - done, c)
	     : i < cost	    ? closing("function", i - function, &c->function,
				      &c->function_all)
			    : conclusion(CONCLUSIONS, c);
	return true;
}

/* Source: the white paper, sections 3.1.2, 3.2.2, 3.2.4, 3.3.1 and 3.3.2.
 * Its "CPUID/RDTSC twice" is our cpuid2, its RDTSCP method our cpuid. */
static const struct {
	const char *method, *body, *name;
	int value;
} paper_figures[] = {
	{ "cpuid2", "empty", "min", 452 },
	{ "cpuid2", "empty", "spurious", 262 },
	{ "cpuid2", "empty", "total_variance", 48 },
	{ "cpuid2", "empty", "max_deviation", 636 },
	{ "cpuid2", "empty", "var_of_variances", 2306 },
	{ "cpuid2", "empty", "var_of_minima", 118 },
	{ "cpuid2", "empty", "shortest_5pct", 139 },
	{ "cpuid2", "empty", "shortest_1pct", 690 },
	{ "cpuid2", "all", "verdict", ENSEMBLE_REJECTED },
	{ "cpuid", "empty", "min", 44 },
	{ "cpuid", "empty", "spurious", 0 },
	{ "cpuid", "empty", "total_variance", 2 },
	{ "cpuid", "empty", "max_deviation", 104 },
	{ "cpuid", "empty", "var_of_variances", 0 },
	{ "cpuid", "empty", "var_of_minima", 0 },
	{ "cpuid", "loop", "min", 44 },
	{ "cpuid", "loop", "spurious", 0 },
	{ "cpuid", "loop", "total_variance", 1 },
	{ "cpuid", "loop", "max_deviation", 176 },
	{ "cpuid", "loop", "var_of_variances", 2 },
	{ "cpuid", "loop", "resolution_instructions", 2 },
	{ "cpuid", "loop", "resolution_ticks", 4 },
	{ "cpuid", "all", "verdict", ENSEMBLE_ACCEPTED },
	{ "cr0", "empty", "min", 208 },
	{ "cr0", "empty", "spurious", 0 },
	{ "cr0", "empty", "total_variance", 3 },
	{ "cr0", "empty", "max_deviation", 176 },
	{ "cr0", "empty", "var_of_variances", 0 },
	{ "cr0", "empty", "var_of_minima", 0 },
	{ "cr0", "loop", "min", 208 },
	{ "cr0", "loop", "spurious", 0 },
	{ "cr0", "loop", "total_variance", 1 },
	{ "cr0", "loop", "max_deviation", 220 },
	{ "cr0", "loop", "var_of_variances", 2 },
	{ "cr0", "loop", "resolution_instructions", 2 },
	{ "cr0", "loop", "resolution_ticks", 4 },
	{ "cr0", "all", "verdict", ENSEMBLE_ACCEPTED },
};

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int64_t certificate_paper(const char *method, const char *body,
			  const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(paper_figures) / sizeof(*paper_figures); i++)
		if (same(paper_figures[i].method, method) &&
		    same(paper_figures[i].body, body) &&
		    same(paper_figures[i].name, name))
			return paper_figures[i].value;
	return -1;
}

const char *certificate_word(const struct certificate *c)
{
	switch (ensemble_verdict(c->faults)) {
	case ENSEMBLE_ACCEPTED:
		return "accepted";
	case ENSEMBLE_CONDITIONAL:
		return "for batches only";
	default:
		return "rejected";
	}
}
