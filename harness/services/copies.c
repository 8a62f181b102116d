/* SPDX-License-Identifier: MIT */
#include "copies.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "copies_crew.h"
#include "program.h"
#include "stats.h"
#include "topo.h"

/* A further CPU has to bring so much of what the first one does. */
#define WORTH 0.5

/* The rows of a case for each number of CPUs, and those of all numbers. */
enum { LATENCY, RATE, FAIRNESS, INTERCEPT, SLOPE, R2, STOPS_AT, ROWS };

static const struct {
	const char *scaling, *unit;
	enum bench_better better;
} rows[ROWS] = {
	{ "latency", "ns", BENCH_LOWER },
	{ "rate", "1/s", BENCH_HIGHER },
	{ "fairness", "1", BENCH_HIGHER },
	{ "intercept", "ns", BENCH_LOWER },
	{ "slope", "ns", BENCH_LOWER },
	{ "r2", "1", BENCH_HIGHER },
	{ "stops_at", "CPUs", BENCH_HIGHER },
};

/* A case of the program, copied in one way. */
struct group {
	size_t inner; /* the case's id */
	bool threads;
	/* By number of CPUs; what is of all numbers is in the first. */
	const struct bench_case *of[COPIES_COUNTS][ROWS];
	uint64_t iters;
	struct group *next;
};

/* The state of the program that the harness sees; there is one. */
static struct copies {
	struct crew crew;
	unsigned int count[COPIES_COUNTS], counts;
	struct group *groups;
} copies;

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct copies *s = state;
	struct crew *w = &s->crew;
	struct group *g = (struct group *)c->arg;
	char cpus[256] = "";
	size_t len = 0;

	w->inner = g->inner;
	w->threads = g->threads;
	w->n = s->count[c->index];
	for (unsigned int i = 0; i < w->n && len < sizeof(cpus); i++)
		len += (size_t)snprintf(cpus + len, sizeof(cpus) - len, "%s%d",
					i ? "," : "", w->cpu[i]);
	bench_fact_text(b, c, "on_cpus", cpus);
	return crew_start(w, b, &g->iters);
}

/* What a window has brought; copies share what they work on, so not all of it
 * is the same for all.  One in which a copy lost its CPU at the begin or the
 * end is no sample. */
static int record(struct bench *b, const struct crew *w,
		  const struct bench_case *const *of)
{
	double latency = 0, rate = 0, least = INFINITY, most = 0;
	uint64_t begun = 0, over = UINT64_MAX, first = UINT64_MAX, last = 0;
	unsigned int at_home = 0, at_work = 0, timed = 0;
	bool together;

	for (unsigned int i = 0; i < w->n; i++) {
		const struct crew_share *s = &w->page->of[i];
		const double own = s->ops / s->ns;

		at_home += s->at_home;
		at_work += s->ops > 0;
		timed += s->ns > 0;
		latency += s->latency;
		rate += own;
		least = fmin(least, own);
		most = fmax(most, own);
		begun = s->from > begun ? s->from : begun;
		over = s->to < over ? s->to : over;
		first = s->from < first ? s->from : first;
		last = s->to > last ? s->to : last;
	}
	together = at_work == w->n &&
		   (double)(int64_t)(over - begun) >=
			   BENCH_MOSTLY * (double)(last - first);
	bench_proof(b, of[LATENCY], "copies_at_work", w->n, at_work);
	bench_proof(b, of[LATENCY], "copies_on_own_cpu", w->n, at_home);
	if (bench_is_sample(b))
		bench_purity(b, of[LATENCY], "windows_together", BENCH_SOME, 1,
			     together);
	if (!together)
		return 0;
	if (timed < w->n)
		return bench_skip(b, "single events of it take no longer than "
				     "the timer itself");
	bench_record_value(b, of[LATENCY], latency / w->n);
	bench_record_value(b, of[RATE], rate * 1e9);
	if (of[FAIRNESS])
		bench_record_value(b, of[FAIRNESS], least / most);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct copies *s = state;
	const struct group *g = c->arg;
	const int err = crew_window(&s->crew, b);

	return err || invocation_stop ? err
				      : record(b, &s->crew, g->of[c->index]);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct copies *s = state;

	return crew_end(&s->crew, b, c);
}

/* Whether a case is one operation, or its share of one, that takes time and
 * keeps to its CPU. */
static bool can_copy(const struct case_run *run)
{
	const struct bench_case *c = &run->c;

	return c->place == BENCH_SAME_CPU && (!c->derived || c->of) &&
	       (!c->unit || !strcmp(c->unit, "ns"));
}

/* A row has the names of the case behind those of the copies. */
static void add_row(struct bench *b, const struct copies *w, struct group *g,
		    const struct case_run *inner, unsigned int at, int row)
{
	const bool of_all = row >= INTERCEPT;
	struct bench_case c = {
		.arg = g,
		.index = at,
		.unit = rows[row].unit,
		.better = rows[row].better,
		.estimator = of_all ? BENCH_EST_DERIVED : BENCH_EST_MEDIAN,
		.derived = row != LATENCY,
		.of = of_all ? NULL : g->of[at][LATENCY],
		.switches = inner->c.switches,
		.skip = inner->verdict.state == CASE_SKIPPED
				? inner->verdict.why
			: !of_all && w->count[at] > bench_cpus(b)
				? "needs more CPUs than it may use"
				: NULL,
	};
	struct bench_param *p = c.params;

	if (!of_all)
		*p++ = (struct bench_param) { "cpus", .number = w->count[at] };
	*p++ = (struct bench_param) { "copies", BENCH_STR,
				      .text = g->threads ? "threads"
							 : "processes" };
	*p++ = (struct bench_param) { "scaling", BENCH_STR,
				      .text = rows[row].scaling };
	for (const struct bench_param *q = inner->c.params;
	     q->axis && p < c.params + BENCH_MAX_PARAMS; q++)
		*p++ = *q;
	g->of[at][row] = case_add(b, &c);
	for (unsigned int k = 0; of_all && k < w->counts; k++)
		bench_derived_from(b, g->of[at][row], g->of[k][LATENCY]);
}

static void add_group(struct bench *b, struct copies *w,
		      const struct case_run *inner, bool threads)
{
	struct group *g = text_alloc(1, sizeof(*g));

	g->inner = inner->c.id;
	g->threads = threads;
	g->next = w->groups;
	w->groups = g;
	/* One is always as fast as itself; a line needs three points. */
	for (unsigned int i = 0; i < w->counts; i++)
		for (int row = LATENCY; row < INTERCEPT; row++)
			if (row != FAIRNESS || w->count[i] > 1)
				add_row(b, w, g, inner, i, row);
	for (int row = INTERCEPT; w->counts > 1 && row < ROWS; row++)
		if (row == STOPS_AT || w->counts > 2)
			add_row(b, w, g, inner, 0, row);
}

static int compare(const void *a, const void *b)
{
	const unsigned int x = *(const unsigned int *)a;
	const unsigned int y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/* "all" is known now; the numbers are sorted, each once. */
static void count_cpus(struct bench *b, struct copies *w)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < w->counts; i++)
		if (!w->count[i])
			w->count[i] = bench_cpus(b);
	qsort(w->count, w->counts, sizeof(w->count[0]), compare);
	for (unsigned int i = 0; i < w->counts; i++)
		if (!n || w->count[n - 1] != w->count[i])
			w->count[n++] = w->count[i];
	w->counts = n;
}

static int cases(struct bench *b, void *state)
{
	struct copies *w = state;
	const unsigned int cpus = bench_cpus(b);
	/* Only to see its cases; it is kept, for they have their names. */
	static struct bench list;

	list = (struct bench) {
		.desc = w->crew.desc,
		.state = crew_new_state(&w->crew),
		.topo = b->topo,
		.cpu = b->cpu,
		.plan = b->plan,
	};
	list.plan.first_process = false;
	if (w->crew.desc->many_cpus)
		return bench_skip(b, "it runs on several CPUs itself");
	w->crew.cpu = text_alloc(cpus, sizeof(*w->crew.cpu));
	topo_spread(b->topo, b->cpu, w->crew.cpu, cpus);
	count_cpus(b, w);
	if (cases_make(&list))
		return bench_fail(b, 0, "%s", list.verdict.why);
	for (size_t i = 0; i < list.n_runs; i++) {
		const struct case_run *run = list.runs[i];

		if (!can_copy(run))
			continue;
		add_group(b, w, run, false);
		if (run->c.threads)
			add_group(b, w, run, true);
	}
	return b->n_runs ? 0
			 : bench_skip(b, "none of its cases is an operation "
					 "on one CPU");
}

void copies_fit(struct bench *b, const struct bench_case *const line[3],
		const double *x, const double *y, size_t n)
{
	struct stats_line f;

	if (stats_fit_line(&f, x, y, n) || !isfinite(f.r_squared)) {
		for (int i = 0; i < 3; i++)
			bench_derive_skip(b, line[i],
					  "a line needs three points, there "
					  "are %zu",
					  n);
		return;
	}
	bench_derive_within(b, line[0], f.intercept, f.intercept_error);
	bench_derive_within(b, line[1], f.slope, f.slope_error);
	bench_derive(b, line[2], f.r_squared);
	bench_fact(b, line[0], "standard_error", f.intercept_error);
	bench_fact(b, line[1], "standard_error", f.slope_error);
}

static void derive_line(struct bench *b, const struct copies *w,
			const struct group *g)
{
	double x[COPIES_COUNTS], y[COPIES_COUNTS];
	size_t n = 0;

	for (unsigned int i = 0; i < w->counts; i++) {
		x[n] = w->count[i];
		y[n] = bench_value(b, g->of[i][LATENCY]);
		n += isfinite(y[n]);
	}
	copies_fit(b, &g->of[0][INTERCEPT], x, y, n);
}

/* The last number of CPUs up to which further ones were worth it. */
static void derive_stop(struct bench *b, const struct copies *w,
			const struct group *g)
{
	const double one = bench_value(b, g->of[0][RATE]) / w->count[0];
	double last = one * w->count[0];
	unsigned int at = 0, i;

	for (i = 1; i < w->counts; i++) {
		const double rate = bench_value(b, g->of[i][RATE]);

		if (!(rate - last >=
		      WORTH * one * (w->count[i] - w->count[at])))
			break;
		last = rate;
		at = i;
	}
	if (!isfinite(one) ||
	    (i < w->counts && isnan(bench_value(b, g->of[i][RATE]))))
		bench_derive_skip(b, g->of[0][STOPS_AT],
				  "needs the rates of two numbers of CPUs");
	else if (i < w->counts)
		bench_derive_between(b, g->of[0][STOPS_AT], w->count[at],
				     w->count[at], w->count[i]);
	else
		bench_derive(b, g->of[0][STOPS_AT], w->count[at]);
	bench_fact(b, g->of[0][STOPS_AT], "most_tried",
		   w->count[w->counts - 1]);
}

static int derive(struct bench *b, void *state)
{
	const struct copies *w = state;

	for (const struct group *g = w->groups; g; g = g->next) {
		if (w->counts > 2)
			derive_line(b, w, g);
		if (w->counts > 1)
			derive_stop(b, w, g);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct copies *s = state;

	crew_stop(&s->crew);
}

/* Return: whether @text is numbers and "all", parted by commas. */
static bool parse(struct copies *w, const char *text)
{
	w->counts = 0;
	for (;;) {
		char *end = (char *)text + 3;
		long n = 0;

		if (strncmp(text, "all", 3) != 0) {
			n = strtol(text, &end, 10);
			if (end == text || n < 1 || n > COPIES_MOST)
				return false;
		}
		if (w->counts == COPIES_COUNTS || (*end && *end != ','))
			return false;
		w->count[w->counts++] = (unsigned int)n;
		if (!*end)
			return true;
		text = end + 1;
	}
}

bool copies_counts(const char *cpus)
{
	struct copies w;

	return parse(&w, cpus);
}

void copies_wrap(const char *cpus, const struct bench_desc **desc, void **state)
{
	static struct bench_desc outer = {
		.cases = cases,
		.enter = enter,
		.sample = sample,
		.leave = leave,
		.derive = derive,
		.teardown = teardown,
	};

	parse(&copies, cpus);
	copies.crew.desc = *desc;
	copies.crew.pristine = *state;
	outer.name = copies.crew.desc->name;
	outer.open = copies.crew.desc->points;
	*desc = &outer;
	*state = &copies;
}
