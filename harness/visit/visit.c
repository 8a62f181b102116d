/* SPDX-License-Identifier: MIT */
/* Visits to the cases of an invocation: batches, events, in which order. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "budget.h"
#include "distance.h"
#include "invocation.h"
#include "partner.h"
#include "random.h"
#include "reference.h"

#define PASSES	       4    /* visits to a case that is interleaved, at most */
#define LEAST	       5    /* quads, whatever they cost */
#define WARM_UP_SHARE  0.25 /* of the time for all visits */
#define WARM_UP_EVENTS 10
#define MAX_ITERS      ((uint64_t)1 << 30)
#define DITHER_STEPS   16 /* so many that no place within a step is likelier */

/* Timing one batch, once for each method: no choice inside the interval. */
typedef int timed_fn(bench_run_fn *run, struct bench *b,
		     const struct bench_case *c, uint64_t iters,
		     uint64_t *ticks);

#define TIMED(name)                                                         \
	static int timed_##name(bench_run_fn *run, struct bench *b,         \
				const struct bench_case *c, uint64_t iters, \
				uint64_t *ticks)                            \
	{                                                                   \
		void *state = b->state;                                     \
		uint64_t begin = timer_##name##_begin();                    \
		int err = run(b, state, c, iters);                          \
                                                                            \
		*ticks = timer_##name##_end() - begin;                      \
		return err;                                                 \
	}

#define TIMED_BY(NAME, name, ...) TIMED(name)
ARCH_METHODS(TIMED_BY, )
TIMED(clock)

static timed_fn *const timed[TIMER_METHODS] = {
#define TIMED_ENTRY(NAME, name, ...) [TIMER_##NAME] = timed_##name,
	ARCH_METHODS(TIMED_ENTRY, )[TIMER_CLOCK] = timed_clock,
};

/* What a batch callback needs to know. */
struct batch {
	struct bench *b;
	struct case_run *run;
	bench_run_fn *fn;
	bool is_baseline;
	struct op_counts *counts; /* --counters: once warm */
};

static int one_batch(void *arg, uint64_t iters, uint64_t *ticks)
{
	const struct batch *t = arg;
	struct bench *b = t->b;
	const struct bench_desc *d = b->desc;
	const struct bench_case *c = &t->run->c;
	struct op_counts *counts = ticks ? t->counts : NULL;
	const bool warming_up = b->warming_up;
	uint64_t ignored;
	int err;

	if (invocation_stop)
		return -EINTR;
	partner_moved();
	err = d->prepare ? d->prepare(b, b->state, c) : 0;
	if (!err)
		err = op_counter_begin(b->counter);
	if (err)
		return err;
	err = timed[b->timer.method](t->fn, b, c, iters,
				     ticks ? ticks : &ignored);
	if (!err)
		err = op_counter_end(b->counter, counts, iters,
				     iters > t->run->series.iters);
	b->warming_up |= !ticks;
	if (!err && d->conclude && !t->is_baseline)
		err = d->conclude(b, b->state, c, iters);
	b->warming_up = warming_up;
	return err;
}

/* The time that warming up a case may take in this visit, ns. */
static double warm_up_ns(const struct case_run *run)
{
	const bool all = run->begun || run->c.exclusive;

	return fmin(1e9, WARM_UP_SHARE * run->time_ns * (all ? 1 : PASSES));
}

/* Samples are taken until the time of the visit is over, and @least of them
 * whatever they cost.  @ask: of events, when to look at the clock next, at each
 * eighth more of them: a page fault right after a look costs 3 % more.  NULL:
 * always. */
static bool goes_on(const struct case_run *run, uint64_t begin_ns,
		    unsigned int taken, unsigned int least, unsigned int *ask)
{
	if (invocation_stop ||
	    (run->c.most && run->sampled + taken >= run->c.most))
		return false;
	if (ask && taken < *ask)
		return true;
	if (ask)
		*ask = taken + taken / 8 + 1;
	return (double)(invocation_now_ns() - begin_ns) < run->time_ns ||
	       taken < least;
}

/* Of @taken events @waited are no samples: then there are more, if not many. */
static unsigned int least_events(const struct case_run *run, unsigned int taken,
				 unsigned int waited)
{
	const unsigned int least =
		run->c.least ? run->c.least : BENCH_LEAST_EVENTS;
	const bool few = taken - waited < least;

	return few ? BENCH_LEAST_SPARE : least;
}

/* @waited of the samples @taken waited for a CPU: if none is left the visit is
 * made up for.  What they need besides (a thread of the kernel, of a server)
 * may have waited as well, unseen: the grade says how many did. */
static void note_sampled(struct bench *b, struct case_run *run,
			 uint64_t begin_ns, unsigned int taken,
			 unsigned int waited)
{
	run->sampled += taken;
	run->lost += waited;
	run->sampled_ns += (double)(invocation_now_ns() - begin_ns);
	if (waited)
		bench_purity(b, &run->c, "samples_without_waiting_for_a_cpu",
			     1.0 / taken, taken, taken - waited);
}

/* Note what came beside @n times @each samples: a switch hits one of @n, and
 * where a migration came is not known. */
static void tag(struct case_run *run, const struct noise *seen, unsigned int n,
		unsigned int each)
{
	if (!run->c.switches)
		run->involuntary +=
			(uint64_t)each *
			(seen->involuntary < n ? seen->involuntary : n);
	if (seen->migrated)
		run->migrated += (uint64_t)each * n;
}

/* An event is no sample if it waited for a CPU for more of its time than can
 * be borne.  It may have brought samples of derived cases, too.
 * Return: whether it did. */
static bool tag_event(struct bench *b, struct case_run *run,
		      const struct noise *seen)
{
	const bool waited = seen->waited_ns > (1 - BENCH_MOSTLY) * seen->ns;

	for (unsigned int i = 0; i <= b->n_fed; i++) {
		struct case_run *of = i ? b->fed[i - 1] : run;

		if (!waited)
			tag(of, seen, 1, 1);
		of->waited += waited;
		if (waited)
			of->events.n = of->kept;
	}
	return waited;
}

int visit_batch(struct bench *b, struct case_run *run, uint64_t iters,
		uint64_t *ticks)
{
	const struct batch t = { b, run, run->c.run ? run->c.run : b->desc->run,
				 false, NULL };

	return one_batch((void *)&t, iters, ticks);
}

static int warm_up(struct bench *b, struct batch *t, struct batch *base)
{
	const double limit = warm_up_ns(t->run) * 1e-9 * b->timer.hz;
	struct case_run *run = t->run;
	struct sample_clock clock = invocation_clock(b);
	int err = 0;

	if (!run->begun)
		err = sample_pilot(one_batch, t, &clock, MAX_ITERS,
				   &run->series.iters, &run->cold);
	if (err)
		return err;
	run->begun = true;
	run->base.iters = run->series.iters;
	run->series.capped = run->series.iters >= MAX_ITERS;
	err = sample_warm_up(one_batch, t, run->series.iters, limit);
	if (!err && base->fn)
		err = sample_warm_up(one_batch, base, run->series.iters, limit);
	return err;
}

static int visit_repeated(struct bench *b, struct case_run *run)
{
	bench_run_fn *fn = run->c.run ? run->c.run : b->desc->run;
	struct batch t = { b, run, fn, false, NULL };
	struct batch base = { b, run,
			      run->c.baseline ? run->c.baseline
					      : b->desc->baseline,
			      true, NULL };
	const bool first = !run->begun;
	struct quad_times times = { 0 };
	struct noise seen;
	unsigned int quads = 0, waited = 0;
	uint64_t begin, from;
	int err;

	if (!fn)
		return bench_fail(b, EINVAL, "%s has no run()", run->name);
	/* Before the warm-up: on a Zen 5 loops take up to 40 % longer for 100
	 * us after any system call, so none stands between the quads of a
	 * visit.
	 */
	noise_begin();
	from = timer_begin(b->timer.method);
	b->warming_up = true;
	err = warm_up(b, &t, &base);
	b->warming_up = false;
	times.before = (double)(timer_end(b->timer.method) - from);
	t.counts = &run->counts;
	base.counts = &run->base_counts;
	begin = invocation_now_ns();
	for (; !err && goes_on(run, begin, quads, first ? LEAST : 1, NULL);
	     quads++) {
		from = timer_begin(b->timer.method);
		err = sample_quad(one_batch, &t, &run->series);
		if (!err && base.fn)
			err = sample_quad(one_batch, &base, &run->base);
		if (!err)
			err = sample_push(&times.quad,
					  (double)(timer_end(b->timer.method) -
						   from));
	}
	noise_end(&seen);
	times.waited = seen.waited_ns * 1e-9 * b->timer.hz;
	if (!err && times.waited > 0)
		waited = sample_drop_waits(&run->series, &run->base, &times,
					   1 - BENCH_MOSTLY);
	sample_free(&times.quad);
	seen.involuntary -=
		waited < seen.involuntary ? waited : seen.involuntary;
	tag(run, &seen, quads - waited, 4);
	run->waited += 4 * (uint64_t)waited;
	note_sampled(b, run, begin, quads, waited);
	return err;
}

/* Wait for a random time, not by the clock: so that the next event begins
 * anywhere within one of its steps. */
static void dither(struct bench *b)
{
	const uint64_t most =
		(uint64_t)(DITHER_STEPS * b->timer.quantum_ticks) + 1;
	const uint64_t n = random_next(&b->dither) % most;

	for (uint64_t i = 0; i < n; i++)
		BENCH_KEEP(i);
}

/* @seen: gets what happened during a sample; NULL: it is none, or part of a
 * greater one. */
static int one_event(struct bench *b, struct case_run *run,
		     bench_case_fn *sample, enum phase phase,
		     struct noise *seen)
{
	const struct bench_desc *d = b->desc;
	uint64_t from = 0;
	int err = 0;

	partner_moved();
	if (phase == PHASE_SAMPLE)
		err = op_counter_empty(b->counter, &run->counts);
	if (!err && d->prepare)
		err = d->prepare(b, b->state, &run->c);
	if (seen) {
		noise_begin();
		from = timer_begin(b->timer.method);
	}
	dither(b);
	if (!err)
		err = op_counter_begin(b->counter);
	if (err)
		return err;
	b->phase = phase;
	b->n_fed = 0;
	run->kept = run->events.n;
	err = sample(b, b->state, &run->c);
	b->phase = PHASE_IDLE;
	if (seen) {
		seen->ns =
			timer_ns(&b->timer,
				 (double)(timer_end(b->timer.method) - from));
		noise_end(seen);
	}
	if (!err)
		err = op_counter_end(b->counter,
				     phase == PHASE_SAMPLE ? &run->counts
							   : NULL,
				     1, false);
	if (!err && d->conclude)
		err = d->conclude(b, b->state, &run->c, 1);
	return err;
}

static bench_case_fn *sample_of(const struct bench *b,
				const struct case_run *run)
{
	return run->c.run      ? NULL
	       : run->c.sample ? run->c.sample
			       : b->desc->sample;
}

int visit_event(struct bench *b, struct case_run *run)
{
	return one_event(b, run, sample_of(b, run), PHASE_SAMPLE, NULL);
}

bool visit_repeats(const struct bench *b, const struct case_run *run)
{
	return !sample_of(b, run);
}

static int visit_events(struct bench *b, struct case_run *run,
			bench_case_fn *sample)
{
	const double limit_ns = warm_up_ns(run);
	const bool first = !run->begun;
	uint64_t begin = invocation_now_ns();
	unsigned int warm = WARM_UP_EVENTS, events = 0, waited = 0, ask = 0;
	int err = 0;

	if (run->c.most && run->c.most < 4 * warm)
		warm = run->c.most / 4;
	b->warming_up = true;
	if (first) {
		run->begun = true;
		err = one_event(b, run, sample, PHASE_COLD, NULL);
		warm = warm > run->c.cycle ? warm : run->c.cycle;
		for (unsigned int i = 0; !err && i < warm; i++) {
			if (i >= run->c.cycle &&
			    (double)(invocation_now_ns() - begin) > limit_ns)
				break;
			err = one_event(b, run, sample, PHASE_WARM_UP, NULL);
		}
	} else {
		err = one_event(b, run, sample, PHASE_WARM_UP, NULL);
	}
	b->warming_up = false;
	begin = invocation_now_ns();
	for (; !err &&
	       goes_on(run, begin, events,
		       first ? least_events(run, events, waited) : 1, &ask);
	     events++) {
		struct noise seen;

		err = one_event(b, run, sample, PHASE_SAMPLE, &seen);
		waited += !err && tag_event(b, run, &seen);
	}
	note_sampled(b, run, begin, events, waited);
	return err;
}

/* Frequencies move from one millisecond to the next, and cases have visits of
 * their own: what a process sees at its begin and end need not be theirs. */
static int note_core(struct bench *b, struct case_run *run)
{
	const double hz = reference_hz(&b->timer);
	const double share = reference_share(&b->timer);
	int err = 0;

	if (hz > 0)
		err = sample_push(&run->core_hz, hz) ||
		      sample_push(&b->core_hz, hz);
	if (share > 0)
		err |= sample_push(&run->core_share, share) ||
		       sample_push(&b->core_share, share);
	return err ? -ENOMEM : 0;
}

/* At both ends of a visit; what one has read last is true for the next one. */
static int note_beside(struct bench *b, struct case_run *run)
{
	const int cpu = run->has_partner ? run->partner_cpu : -1;
	struct beside *s = &b->beside;

	if (!s->now || s->cpu != cpu) {
		noise_taken_read(&s->taken, (const int[]) { b->cpu, cpu });
		s->distance_ns = cpu < 0 ? NAN : distance_ns(cpu);
		s->cpu = cpu;
		s->now = true;
	}
	return isfinite(s->distance_ns)
		       ? sample_push(&run->distance, s->distance_ns)
		       : 0;
}

void visit_settle(struct bench *b, struct case_run *run,
		  const struct beside *before, bool waits_known)
{
	const struct noise_taken *now = &b->beside.taken,
				 *then = &before->taken;
	const int64_t held = now->throttled - then->throttled;
	const unsigned int aside = run->set_aside;

	if (held > 0 && !waits_known)
		bench_purity(b, &run->c, "measurements_within_the_cpu_quota", 1,
			     1, 0);
	run->again = evidence_settle(b, run) && !run->made_up;
	if (run->set_aside > aside)
		return;
	run->visits++;
	run->throttled += held > 0;
	run->stolen += now->stolen[0] > then->stolen[0] ||
		       (b->beside.cpu == before->cpu &&
			now->stolen[1] > then->stolen[1]);
}

static void visit(struct bench *b, struct case_run *run)
{
	const struct bench_desc *d = b->desc;
	bench_case_fn *sample = sample_of(b, run);
	const uint64_t begin = invocation_now_ns();
	const double kept = run->sampled - run->lost;
	const unsigned int aside = run->set_aside;
	struct beside before;
	uint64_t entered, left;
	int err;

	evidence_begin(b, run);
	b->current = run;
	err = note_beside(b, run);
	before = b->beside;
	noise_partners_begin();
	/* Not in front of the first sample, which is to find the caches cold.
	 */
	if (!err && run->begun)
		err = note_core(b, run);
	if (!err)
		err = points_ready(b, &run->c);
	if (!err && d->enter)
		err = d->enter(b, b->state, &run->c);
	entered = invocation_now_ns();
	if (!err)
		err = sample ? visit_events(b, run, sample)
			     : visit_repeated(b, run);
	left = invocation_now_ns();
	b->beside.now = false;
	run->partner_cpu = b->unpinned ? -1 : noise_partner_cpu(b->cpu);
	run->has_partner = run->partner_cpu >= 0;
	if (d->leave) {
		int late = d->leave(b, b->state, &run->c);

		err = err ? err : late;
	}
	if (!err)
		err = note_core(b, run);
	if (!err)
		err = note_beside(b, run);
	if (err && !invocation_stop && run->state == CASE_ASKED)
		bench_fail(b, -err, "%s", run->name);
	b->current = NULL;
	visit_settle(b, run, &before, noise_knows_waits());
	if (run->set_aside > aside)
		run->lost = run->sampled - kept;
	run->visit_ns = (double)(entered - begin + invocation_now_ns() - left);
}

/* One more visit for each case of which something was set aside in this pass:
 * once, for what a place always has in it would be there again. */
static void make_up(struct bench *b)
{
	for (size_t i = 0; i < b->n_runs && !invocation_stop; i++) {
		struct case_run *run = b->runs[i];

		if (!run->again || run->state != CASE_ASKED)
			continue;
		run->made_up = true;
		visit(b, run);
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
	return run->state == CASE_ASKED && !run->c.derived;
}

static double weight_of(const struct case_run *run)
{
	return run->weighty ? BUDGET_CORE : 1;
}

/* In the first pass each case has its share of the time, an exclusive one all
 * of it; the time of cases that were not asked for is not spent. */
static void share_out(struct bench *b)
{
	double all = 0, asked = 0;

	for (size_t i = 0; i < b->n_runs; i++) {
		const struct case_run *run = b->runs[i];
		const double share = budget_share(weight_of(run));

		if (is_visited(run))
			asked += share;
		if (is_visited(run) ||
		    (run->state == CASE_UNSELECTED && !run->c.derived))
			all += share;
	}
	for (size_t i = 0; i < b->n_runs; i++) {
		struct case_run *run = b->runs[i];

		run->time_ns = b->time_ns * budget_share(weight_of(run)) / all;
		if (!run->c.exclusive)
			run->time_ns /= PASSES;
	}
	b->time_ns *= all > 0 ? asked / all : 1;
}

/* Of one sample, relative to the whole of it; NAN: there are none. */
static double spread_of(const struct bench *b, const struct case_run *run)
{
	const bool repeated = run->series.diff.n;
	const struct sample_vec *v =
		repeated ? &run->series.diff : &run->events;
	const double iters = repeated ? (double)run->series.iters : 1;
	const double level =
		repeated ? sample_median(&run->series.short_ticks) / iters
			 : fabs(sample_median(v));
	double spread = sample_median_error(v) * sqrt((double)v->n);

	if (!run->own_unit)
		spread = fmax(spread, b->timer.quantum_ticks / iters);
	return level > 0 ? spread / level : NAN;
}

/* Divide what the passes before left of the time among @visits more; samples
 * that were dropped are lacking. */
static void divide(struct bench *b, struct budget_case *cases,
		   unsigned int visits)
{
	double left_ns = b->time_ns;
	size_t n = 0;

	for (size_t i = 0; i < b->n_runs; i++) {
		struct case_run *run = b->runs[i];

		left_ns -= run->sampled_ns;
		run->time_ns = 0;
		if (!is_visited(run) || run->c.exclusive || !run->sampled)
			continue;
		cases[n++] = (struct budget_case) {
			.weight = weight_of(run),
			.visit_ns = run->visit_ns,
			.sample_ns = run->sampled_ns / run->sampled,
			.spread = spread_of(b, run),
			.samples = run->sampled - run->lost,
		};
	}
	budget_divide(cases, n, left_ns, visits);
	n = 0;
	for (size_t i = 0; i < b->n_runs; i++) {
		struct case_run *run = b->runs[i];

		if (is_visited(run) && !run->c.exclusive && run->sampled)
			run->time_ns = cases[n++].time_ns / visits;
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
	for (unsigned int pass = 0; !err && pass < PASSES; pass++) {
		if (pass > 0)
			divide(b, cases, PASSES - pass);
		shuffle(b, order, b->n_runs);
		for (size_t i = 0; i < b->n_runs && !invocation_stop; i++) {
			struct case_run *run = b->runs[order[i]];

			if (is_visited(run) && (!pass || run->time_ns > 0))
				visit(b, run);
		}
		make_up(b);
	}
	free(cases);
	free(order);
	return err;
}
