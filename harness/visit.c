/* SPDX-License-Identifier: MIT */
/* Visits to the cases of an invocation: batches, events, in which order. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "invocation.h"
#include "partner.h"
#include "reference.h"

#define PASSES	       4 /* visits to a case that is interleaved, at most */
#define LOW_EFFORT     0.5
#define QUADS	       24
#define LEAST_QUADS    5
#define LEAST_EVENTS   5
#define LEAST_AT_LOW   3 /* events at a low effort, for the dearest of them */
#define BUDGET_MS      50
#define WARM_UP_SHARE  0.25 /* of the budget */
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

TIMED(cpuid)
TIMED(cpuid2)
TIMED(lfence)
TIMED(none)
TIMED(clock)

static timed_fn *const timed[TIMER_METHODS] = {
	[TIMER_CPUID] = timed_cpuid,   [TIMER_CPUID2] = timed_cpuid2,
	[TIMER_LFENCE] = timed_lfence, [TIMER_NONE] = timed_none,
	[TIMER_CLOCK] = timed_clock,
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
	int err;

	if (invocation_stop)
		return -EINTR;
	partner_moved();
	err = d->prepare ? d->prepare(b, b->state, c) : 0;
	if (!err)
		err = op_counter_begin(b->counter);
	if (err)
		return err;
	err = timed[b->timer.method](t->fn, b, c, iters, ticks);
	if (!err)
		err = op_counter_end(b->counter, t->counts, iters,
				     iters > t->run->series.iters);
	if (!err && d->conclude && !t->is_baseline)
		err = d->conclude(b, b->state, c, iters);
	return err;
}

unsigned int visit_least_events(const struct bench *b)
{
	return b->effort < LOW_EFFORT ? LEAST_AT_LOW : LEAST_EVENTS;
}

static double budget_ticks(const struct bench *b, const struct case_run *run)
{
	unsigned int ms = run->c.budget_ms ? run->c.budget_ms : BUDGET_MS;

	return ms / 1e3 * b->timer.hz * b->effort;
}

/* Note a switch or migration between @before and now, for @samples of them. */
static void tag(struct case_run *run, const struct noise_counts *before,
		const struct noise_counts *after, unsigned int samples)
{
	if (after->involuntary != before->involuntary && !run->c.switches)
		run->involuntary += samples;
	if (after->cpu != before->cpu)
		run->migrated += samples;
}

static void tag_batches(struct case_run *run, const struct noise_counts *before)
{
	struct noise_counts after;

	noise_read(&after);
	tag(run, before, &after, 4);
}

/* An event may have brought samples of derived cases too. */
static void tag_event(struct bench *b, struct case_run *run,
		      const struct noise_counts *before)
{
	struct noise_counts after;

	noise_read(&after);
	tag(run, before, &after, 1);
	for (unsigned int i = 0; i < b->n_fed; i++)
		tag(b->fed[i], before, &after, 1);
}

static int first_batches(struct bench *b, struct batch *t, struct batch *base)
{
	struct case_run *run = t->run;
	struct sample_clock clock = invocation_clock(b);
	double limit = fmin(b->timer.hz, WARM_UP_SHARE * budget_ticks(b, run));
	int err;

	err = sample_pilot(one_batch, t, &clock, MAX_ITERS, &run->series.iters,
			   &run->cold);
	if (err)
		return err;
	run->base.iters = run->series.iters;
	run->series.capped = run->series.iters >= MAX_ITERS;
	err = sample_warm_up(one_batch, t, run->series.iters, limit);
	if (!err && base->fn)
		err = sample_warm_up(one_batch, base, run->series.iters, limit);
	run->begun = true;
	return err;
}

static int visit_repeated(struct bench *b, struct case_run *run,
			  unsigned int passes)
{
	bench_run_fn *fn = run->c.run ? run->c.run : b->desc->run;
	struct batch t = { b, run, fn, false, NULL };
	struct batch base = { b, run,
			      run->c.baseline ? run->c.baseline
					      : b->desc->baseline,
			      true, NULL };
	double wanted = fmax(LEAST_QUADS, QUADS * b->effort);
	unsigned int quads = (unsigned int)ceil(wanted / passes);
	double budget = budget_ticks(b, run) / passes, spent = 0;
	uint64_t ignored;
	int err;

	if (!fn)
		return bench_fail(b, EINVAL, "%s has no run()", run->name);
	/* The caches hold other cases by now: one batch to fetch this one. */
	err = run->begun ? one_batch(&t, run->series.iters, &ignored)
			 : first_batches(b, &t, &base);
	t.counts = &run->counts;
	base.counts = &run->base_counts;
	for (unsigned int i = 0; !err && i < quads; i++) {
		struct noise_counts before;

		if (spent > budget &&
		    run->series.diff.n * passes >= LEAST_QUADS)
			break;
		noise_read(&before);
		err = sample_quad(one_batch, &t, &run->series, &spent);
		if (!err && base.fn)
			err = sample_quad(one_batch, &base, &run->base, &spent);
		tag_batches(run, &before);
	}
	run->spent_ticks += spent;
	return err;
}

/* Wait for a random time, not by the clock: so that the next event begins
 * anywhere within one of its steps. */
static void dither(struct bench *b)
{
	const uint64_t most =
		(uint64_t)(DITHER_STEPS * b->timer.quantum_ticks) + 1;
	const uint64_t n = bench_rng_next(&b->dither) % most;

	for (uint64_t i = 0; i < n; i++)
		BENCH_KEEP(i);
}

static int one_event(struct bench *b, struct case_run *run,
		     bench_case_fn *sample, enum phase phase)
{
	const struct bench_desc *d = b->desc;
	int err = 0;

	partner_moved();
	if (phase == PHASE_SAMPLE)
		err = op_counter_empty(b->counter, &run->counts);
	if (!err && d->prepare)
		err = d->prepare(b, b->state, &run->c);
	dither(b);
	if (!err)
		err = op_counter_begin(b->counter);
	if (err)
		return err;
	b->phase = phase;
	b->n_fed = 0;
	err = sample(b, b->state, &run->c);
	b->phase = PHASE_IDLE;
	if (!err)
		err = op_counter_end(b->counter,
				     phase == PHASE_SAMPLE ? &run->counts
							   : NULL,
				     1, false);
	if (!err && d->conclude)
		err = d->conclude(b, b->state, &run->c, 1);
	return err;
}

static int visit_events(struct bench *b, struct case_run *run,
			bench_case_fn *sample, unsigned int passes)
{
	unsigned int events = (bench_events(b, &run->c) + passes - 1) / passes;
	double budget_ns = budget_ticks(b, run) / passes / b->timer.hz * 1e9;
	uint64_t begin = invocation_now_ns();
	int err = 0;

	if (!run->begun) {
		unsigned int warm = events < 4 * WARM_UP_EVENTS
					    ? events / 4
					    : WARM_UP_EVENTS;

		run->begun = true;
		err = one_event(b, run, sample, PHASE_COLD);
		for (unsigned int i = 0; !err && i < warm; i++) {
			if ((double)(invocation_now_ns() - begin) >
			    WARM_UP_SHARE * budget_ns)
				break;
			err = one_event(b, run, sample, PHASE_WARM_UP);
		}
		begin = invocation_now_ns();
	} else if (passes > 1) {
		err = one_event(b, run, sample, PHASE_WARM_UP);
	}
	for (unsigned int i = 0; !err && i < events && !invocation_stop; i++) {
		struct noise_counts before;

		if ((double)(invocation_now_ns() - begin) > budget_ns &&
		    i * passes >= visit_least_events(b))
			break;
		noise_read(&before);
		err = one_event(b, run, sample, PHASE_SAMPLE);
		tag_event(b, run, &before);
	}
	run->spent_ticks +=
		(double)(invocation_now_ns() - begin) * 1e-9 * b->timer.hz;
	return err;
}

/* Frequencies move from one millisecond to the next, and cases have visits of
 * their own: what a process sees at its begin and end need not be theirs. */
static int note_core_hz(struct bench *b, struct case_run *run)
{
	const double hz = reference_hz(&b->timer);
	int err;

	if (!(hz > 0))
		return 0;
	err = sample_push(&run->core_hz, hz);
	return err ? err : sample_push(&b->core_hz, hz);
}

static void visit(struct bench *b, struct case_run *run, unsigned int passes)
{
	const struct bench_desc *d = b->desc;
	bench_case_fn *sample = run->c.sample ? run->c.sample : d->sample;
	int err;

	if (run->c.run)
		sample = NULL;
	evidence_begin(b, run);
	b->current = run;
	/* Not in front of the first sample, which is to find the caches cold.
	 */
	err = run->begun ? note_core_hz(b, run) : 0;
	if (!err && d->enter)
		err = d->enter(b, b->state, &run->c);
	if (!err)
		err = sample ? visit_events(b, run, sample, passes)
			     : visit_repeated(b, run, passes);
	if (d->leave) {
		int late = d->leave(b, b->state, &run->c);

		err = err ? err : late;
	}
	if (!err)
		err = note_core_hz(b, run);
	if (err && !invocation_stop && run->state == CASE_ASKED)
		bench_fail(b, -err, "%s", run->name);
	b->current = NULL;
	run->again = evidence_settle(b, run) && !run->made_up;
}

/* One more visit for each case of which something was set aside in this pass:
 * once, for what a place always has in it would be there again. */
static void make_up(struct bench *b, unsigned int passes)
{
	for (size_t i = 0; i < b->n_runs && !invocation_stop; i++) {
		struct case_run *run = b->runs[i];

		if (!run->again || run->state != CASE_ASKED)
			continue;
		run->made_up = true;
		visit(b, run, run->c.exclusive ? 1 : passes);
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

/* Coming back costs as much as before when there is less to do at each visit:
 * a low effort has fewer visits, not only shorter ones. */
static unsigned int visits(double effort)
{
	if (effort < 0.25)
		return 1;
	return effort < LOW_EFFORT ? PASSES / 2 : PASSES;
}

int visit_cases(struct bench *b)
{
	unsigned int passes = visits(b->effort);
	size_t *order = calloc(b->n_runs, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < b->n_runs; i++)
		order[i] = i;
	for (unsigned int pass = 0; pass < passes; pass++) {
		shuffle(b, order, b->n_runs);
		for (size_t i = 0; i < b->n_runs && !invocation_stop; i++) {
			struct case_run *run = b->runs[order[i]];

			if (run->state != CASE_ASKED || run->c.derived ||
			    (run->c.exclusive && pass > 0))
				continue;
			visit(b, run, run->c.exclusive ? 1 : passes);
		}
		make_up(b, passes);
	}
	free(order);
	return 0;
}
