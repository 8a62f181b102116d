/* SPDX-License-Identifier: MIT */
#include "copies.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "deadline.h"
#include "err.h"
#include "guard.h"
#include "topo.h"

/* A further CPU has to bring so much of what the first one does. */
#define WORTH 0.5

#define WINDOW_NS     4e6 /* at least */
#define WINDOW_CHUNKS 40  /* of the first copy, so that its edges are small */
#define LEAST_CHUNKS  4	  /* of every copy */
#define CHUNK_BATCHES 4	  /* a batch is the least that can be timed well */
#define MOST_ITERS    (UINT64_C(1) << 28)
#define LOOK_US	      1000  /* of some us each */
#define MOST_MS	      30000 /* of a window, and until all have seen it */

static size_t page_bytes(const struct crew *w)
{
	return sizeof(struct crew_page) + w->n * sizeof(struct crew_share);
}

static void *new_state(const struct crew *w)
{
	const size_t size = w->desc->state_size;

	return memcpy(text_apart(size), w->pristine, size);
}

static int set_up(struct crew_life *l, const struct crew *w)
{
	const struct bench_desc *d = w->desc;
	const struct bench_case *c;
	int err;

	if (cases_make(&l->b))
		return -EIO;
	l->target = l->b.runs[w->inner];
	c = l->target->c.derived ? l->target->c.of : &l->target->c;
	err = w->cpu ? 0 : bench_unbind(w->b);
	if (!err && d->setup)
		err = d->setup(&l->b, l->b.state);
	l->run = bench_case_of(&l->b, c);
	visit_open(&l->b, l->run, bench_time_ns(w->b));
	return !err && d->enter ? d->enter(&l->b, l->b.state, c) : err;
}

/* The reason why @l ends goes to the page, where the first copy finds it.
 * Return: @err, 0: there is none. */
static int publish(struct crew *w, const struct crew_life *l, int err)
{
	struct crew_share *mine = &w->page->of[l->b.copy];
	const bool own = l->run && l->run->verdict.why[0];
	const char *why = own ? l->run->verdict.why : l->b.verdict.why;
	uint32_t none = 0;

	if (!err || mine->why[0])
		return err;
	snprintf(mine->why, sizeof(mine->why), "%s",
		 why[0] ? why : strerror(-err));
	mine->skips = own ? l->run->verdict.state == CASE_SKIPPED
			  : l->b.verdict.skip_all;
	atomic_compare_exchange_strong(&w->page->failed, &none, l->b.copy + 1);
	return err;
}

/* Begin the life of copy @number up to its first operation, *@out.
 * Return: 0 or -errno, which is published. */
static int begin(struct crew *w, unsigned int number, struct crew_life **out)
{
	struct crew_life *l = *out = text_alloc(1, sizeof(*l));
	const struct bench *b = w->b;

	l->b = (struct bench) {
		.desc = w->desc,
		.state = new_state(w),
		.first = number && w->threads ? w->lead->b.state : NULL,
		.timer = b->timer,
		.topo = b->topo,
		.copy = number,
		.cpu = w->cpu ? w->cpu[number] : b->cpu,
		.plan = b->plan,
		.now = { .time_ns = b->now.time_ns,
			 .rng = (b->plan.seed + number) | 1,
			 .dither = (b->plan.seed + number) | 1 },
	};
	l->b.plan.seed += number;
	l->b.plan.first_process = false;
	return publish(w, l, set_up(l, w));
}

/* Its evidence goes to the page, too. */
static void end(struct crew *w, struct crew_life *l)
{
	const struct bench_desc *d = w->desc;
	struct crew_share *mine;

	if (!l)
		return;
	if (l->run && d->leave)
		d->leave(&l->b, l->b.state, &l->run->c);
	visit_close(&l->b);
	if (d->teardown)
		d->teardown(&l->b, l->b.state);
	if (l->b.scratch[0])
		guard_remove_tree(l->b.scratch);
	if (l->run && l->run->verdict.why[0] && !l->run->verdict.dropped)
		publish(w, l, -EIO); /* by leave() */
	mine = &w->page->of[l->b.copy];
	for (size_t i = 0;
	     l->run && i < l->target->verdict.evidences && i < CREW_EVIDENCES;
	     i++)
		mine->said[mine->n_evidences++] =
			l->target->verdict.evidence[i];
}

static void forget(struct crew_life *l)
{
	if (!l)
		return;
	free(l->b.state);
	sample_free(&l->each);
	cases_free(&l->b);
	free(l);
}

/* One chunk of copy @number; it counts if the window was open before and after.
 * In a copy without a CPU of its own the waits between chunks count as well: so
 * its chunk does if the window was open after it.
 * Return: 0 or -errno, which is published. */
static int one_chunk(struct crew *w, struct crew_life *l, unsigned int number)
{
	struct crew_share *mine = &w->page->of[number];
	const uint32_t before = atomic_load(&w->page->window);
	const uint64_t from = invocation_now_ns();
	double ops, ns;
	const int err = visit_chunk(&l->b, l->run, l->target, w->page->iters,
				    &ops, &ns);
	const uint32_t after = atomic_load(&w->page->window);

	if (!err && (before == after || !w->cpu) && CREW_IS_OPEN(after)) {
		mine->impure |= !(ops > 0);
		mine->from = mine->ops > 0 ? mine->from : from;
		mine->to = invocation_now_ns();
		mine->ops += ops;
		mine->ns += ns;
		if (ops > 0)
			sample_push(&l->each, ns / ops);
		mine->at_home &= !w->cpu || sched_getcpu() == w->cpu[number];
		atomic_fetch_add(&mine->counted, 1);
	}
	if (err)
		publish(w, l, err);
	if (!CREW_IS_OPEN(after) && l->each.n) {
		mine->latency = sample_median(&l->each);
		l->each.n = 0;
	}
	/* The count of a window that it has seen closed is final. */
	atomic_store(&mine->seen, after);
	return err;
}

#define EACH_SHARE(w, s)                                                       \
	for (struct crew_share *s = (w)->page->of; s < (w)->page->of + (w)->n; \
	     s++)

static bool all_saw(const struct crew *w)
{
	EACH_SHARE (w, s)
		if (atomic_load(&s->seen) != atomic_load(&w->page->window))
			return false;
	return true;
}

static bool is_enough(const struct crew *w)
{
	EACH_SHARE (w, s)
		if (atomic_load(&s->counted) < LEAST_CHUNKS)
			return false;
	return (!w->cpu ||
		atomic_load(&w->page->of[0].counted) >= WINDOW_CHUNKS) &&
	       (double)(invocation_now_ns() - w->page->opened_ns) > WINDOW_NS;
}

/* The first copy works, as the others do, until @over, or one has failed; a
 * thread that is none looks now and then.  Return: 0, or -ETIMEDOUT. */
static int lead_until(struct crew *w, bool (*over)(const struct crew *w))
{
	const int64_t deadline = deadline_in(MOST_MS);

	while (!atomic_load(&w->page->failed) && !over(w)) {
		if (deadline_passed(deadline))
			return -ETIMEDOUT;
		if (w->lead)
			one_chunk(w, w->lead, 0);
		else
			usleep(LOOK_US);
	}
	return 0;
}

/* Let all work, count what they do while the window is open. */
static int lead_window(struct crew *w)
{
	struct crew_page *page = w->page;
	int err = lead_until(w, all_saw);

	if (err)
		return err;
	EACH_SHARE (w, s) {
		s->ops = s->ns = 0;
		s->at_home = true;
		s->impure = false;
		atomic_store(&s->counted, 0);
	}
	page->opened_ns = invocation_now_ns();
	atomic_fetch_add(&page->window, 1);
	/* If it takes too long, keep what was counted so far. */
	lead_until(w, is_enough);
	page->closed_ns = invocation_now_ns();
	atomic_fetch_add(&page->window, 1);
	return lead_until(w, all_saw);
}

/* The life of a copy that is not the measuring thread. */
static int serve(struct partner *p, void *arg)
{
	struct crew *w = arg;
	const unsigned int number = (unsigned int)(p - w->member);
	struct crew_life *l;
	int over;

	begin(w, number, &l);
	over = partner_meet(p); /* it has begun */
	if (!over)
		over = partner_meet(p); /* all are at work */
	while (!over && atomic_load(&w->page->window) != CREW_ENDED)
		over = one_chunk(w, l, number);
	end(w, l);
	forget(l);
	return 0;
}

static int meet_members(struct crew *w)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < w->n; i++)
		if (w->member[i].page)
			err = partner_meet(&w->member[i]);
	return err;
}

/* The reason of the first copy that has failed, or that of @err, as a
 * callback's value. */
static int told(struct bench *b, const struct crew *w, int err)
{
	const uint32_t failed = atomic_load(&w->page->failed);
	const struct crew_share *s = &w->page->of[failed ? failed - 1 : 0];

	if (!failed)
		return err ? bench_fail(b, -err, "a copy does not move") : 0;
	return s->skips ? bench_skip(b, "%s", s->why)
			: bench_fail(b, 0, "copy %u: %s", failed - 1, s->why);
}

/* The others sleep meanwhile. */
static int pilot(struct crew *w, uint64_t *iters)
{
	int err = 0;

	if (!*iters) {
		err = visit_pilot(&w->lead->b, w->lead->run, MOST_ITERS, iters);
		*iters *= CHUNK_BATCHES;
	}
	w->page->iters = *iters;
	return err ? publish(w, w->lead, err) : 0;
}

static int start_others(struct crew *w, struct bench *b)
{
	const enum partner_kind kind =
		w->threads ? PARTNER_THREAD : PARTNER_PROCESS;
	int err = 0;

	for (unsigned int i = w->cpu ? 1 : 0; !err && i < w->n; i++) {
		err = partner_start(b, &w->member[i], kind,
				    w->cpu ? w->cpu[i] : b->cpu, serve, w);
		/* One begins after the other: setup() may use static memory. */
		if (!err)
			err = told(b, w, partner_meet(&w->member[i]));
	}
	return err;
}

int crew_start(struct crew *w, struct bench *b, uint64_t *iters)
{
	int err = 0;

	w->b = b;
	w->member = text_alloc(w->n, sizeof(*w->member));
	w->page = partner_share(page_bytes(w));
	if (!w->page)
		return bench_fail(b, ENOMEM, "%u copies", w->n);
	w->page->window = CREW_FIRST;
	/* Processes are to inherit nothing of the first one's life. */
	if (!w->threads)
		err = start_others(w, b);
	if (!err && w->cpu)
		err = begin(w, 0, &w->lead);
	if (!err && w->threads)
		err = start_others(w, b);
	if (!err && w->lead)
		err = pilot(w, iters);
	return err ? told(b, w, err) : 0;
}

int crew_window(struct crew *w, struct bench *b)
{
	const int err = w->at_work ? 0 : meet_members(w); /* they begin */

	w->at_work = true;
	return told(b, w, err ? err : lead_window(w));
}

void crew_end(struct crew *w, struct bench *b, const struct bench_case *c)
{
	int err = 0;

	if (!w->page)
		return;
	atomic_store(&w->page->window, CREW_ENDED);
	if (!w->at_work)
		err = meet_members(w);
	for (unsigned int i = 0; !err && i < w->n; i++)
		if (w->member[i].page)
			err = partner_finish(&w->member[i]);
	end(w, w->lead);
	err = told(b, w, err);
	for (unsigned int i = 0; !err && i < w->n; i++)
		for (size_t k = 0; k < w->page->of[i].n_evidences; k++)
			evidence_add(b, c, &w->page->of[i].said[k]);
	if (!err && w->lead) /* where another could not be started, none */
		json_object_update(bench_case_of(b, c)->def.facts,
				   w->lead->target->def.facts);
	crew_stop(w);
}

void crew_stop(struct crew *w)
{
	if (w->member)
		partner_stop_all(w->member, w->n);
	forget(w->lead);
	free(w->member);
	partner_unshare(w->page, page_bytes(w));
	w->lead = NULL;
	w->member = NULL;
	w->page = NULL;
	w->at_work = false;
}

/*
 * The program that the harness sees.
 */

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
	/* Copies at work in the window that had most of them; 0: no window. */
	unsigned int at_work[COPIES_COUNTS];
	uint64_t iters;
	struct group *next;
};

/* The state of the program that the harness sees; there is one. */
static struct copies {
	struct crew crew;
	bool asked[COPIES_MOST + 1]; /* for so many; 0: for all */
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

/* Evidence and values of the last window: copies share what they work on, so
 * not all of it is the same for all.  A window is excluded in which a copy was
 * at work for a part of the time, or got no CPU and did nothing. */
static int record(struct bench *b, const struct crew *w, struct group *g,
		  unsigned int at)
{
	const struct bench_case *const *of = g->of[at];
	double latency = 0, rate = 0, least = INFINITY, most = 0;
	uint64_t begun = 0, over = UINT64_MAX, first = UINT64_MAX, last = 0;
	unsigned int at_home = 0, at_work = 0, timed = 0;
	bool together;

	EACH_SHARE (w, s) {
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
	bench_proof(b, of[LATENCY], "copies_on_own_cpu", w->n, at_home);
	if (bench_is_sample(b)) {
		bench_purity(b, of[LATENCY], "windows_of_all_copies",
			     BENCH_SOME, 1, at_work == w->n);
		if (at_work > g->at_work[at])
			g->at_work[at] = at_work;
	}
	if (at_work < w->n)
		return 0;
	bench_proof(b, of[LATENCY], "copies_at_work", w->n, at_work);
	together = (double)(int64_t)(over - begun) >=
		   BENCH_MOSTLY * (double)(last - first);
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
	const int err = crew_window(&s->crew, b);

	return err ? err
		   : record(b, &s->crew, (struct group *)c->arg, c->index);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct copies *s = state;

	crew_end(&s->crew, b, c);
}

/* Whether a case is one operation, or its share of one, that takes time and
 * keeps to its CPU. */
static bool can_copy(const struct case_run *run)
{
	const struct bench_case *c = &run->c;

	return c->place == BENCH_SAME_CPU && (!c->derived || c->of) &&
	       (c->bytes || !strcmp(c->unit, "ns"));
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

/* "all" is known now; the numbers are sorted, each once. */
static void count_cpus(struct copies *w, unsigned int all)
{
	const unsigned int most = all > COPIES_MOST ? all : COPIES_MOST;

	for (unsigned int n = 1; n <= most; n++)
		if ((n <= COPIES_MOST && w->asked[n]) ||
		    (n == all && w->asked[0]))
			w->count[w->counts++] = n;
}

/* The cases of the program, each in groups. */
static void add_groups(struct bench *b, struct copies *w)
{
	/* Only to see its cases; it is kept, for they have their names. */
	static struct bench list;

	list = (struct bench) {
		.desc = w->crew.desc,
		.state = new_state(&w->crew),
		.topo = b->topo,
		.cpu = b->cpu,
		.plan = b->plan,
	};
	list.plan.first_process = false;
	if (w->count[w->counts - 1] > bench_cpus(b) && b->plan.first_process)
		fprintf(stderr, "%s: --copies: %u CPUs here: %u is skipped\n",
			b->plan.name, bench_cpus(b), w->count[w->counts - 1]);
	if (cases_make(&list))
		bench_fail(b, 0, "%s", list.verdict.why);
	for (size_t i = 0; !b->verdict.why[0] && i < list.n_runs; i++) {
		const struct case_run *run = list.runs[i];

		if (!can_copy(run))
			continue;
		add_group(b, w, run, false);
		if (run->c.threads)
			add_group(b, w, run, true);
	}
	if (!b->n_runs)
		bench_skip(b, "none of its cases is an operation on one CPU");
}

static void cases(struct bench *b, void *state)
{
	struct copies *w = state;
	const unsigned int cpus = bench_cpus(b);

	w->crew.cpu = topo_spread(b->topo, b->cpu);
	count_cpus(w, cpus);
	if (w->crew.desc->many_cpus)
		bench_skip(b, "it runs on several CPUs itself");
	else if (w->count[0] > cpus)
		bench_skip(b, "needs %u CPUs and may use %u", w->count[0],
			   cpus);
	else
		add_groups(b, w);
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

/* A row whose windows all lacked a copy did not measure what its name says. */
static void prove_at_work(struct bench *b, const struct copies *w,
			  const struct group *g)
{
	for (unsigned int i = 0; i < w->counts; i++)
		if (g->at_work[i] && g->at_work[i] < w->count[i])
			bench_proof(b, g->of[i][LATENCY], "copies_at_work",
				    w->count[i], g->at_work[i]);
}

static void derive(struct bench *b, void *state)
{
	const struct copies *w = state;

	for (const struct group *g = w->groups; g; g = g->next) {
		prove_at_work(b, w, g);
		if (w->counts > 2)
			bench_derive_line(b, "cpus", &g->of[0][INTERCEPT]);
		if (w->counts > 1)
			derive_stop(b, w, g);
	}
}

bool copies_choose(const char *cpus)
{
	for (int counts = 0;; counts++) {
		char *end = (char *)cpus + 3;
		long n = 0;

		if (strncmp(cpus, "all", 3) != 0) {
			n = strtol(cpus, &end, 10);
			if (end == cpus || n < 1 || n > COPIES_MOST)
				return false;
		}
		if (counts == COPIES_COUNTS || (*end && *end != ','))
			return false;
		copies.asked[n] = true;
		if (!*end)
			return true;
		cpus = end + 1;
	}
}

void copies_wrap(const struct bench_desc **desc, void **state)
{
	static struct bench_desc outer = {
		.cases = cases,
		.enter = enter,
		.sample = sample,
		.leave = leave,
		.derive = derive,
	};

	copies.crew.desc = *desc;
	copies.crew.pristine = *state;
	outer.open = copies.crew.desc->points;
	*desc = &outer;
	*state = &copies;
}
