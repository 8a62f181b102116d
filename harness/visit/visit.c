/* SPDX-License-Identifier: MIT */
/* A visit to a case: batches, events, what was beside them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "deadline.h"
#include "program.h"
#include "random.h"
#include "reference.h"

#define LEAST	       5    /* quads, whatever they cost */
#define WARM_UP_SHARE  0.25 /* of the time for all visits */
#define WARM_UP_EVENTS 10
#define MAX_ITERS      ((uint64_t)1 << 30)
#define DITHER_STEPS   16 /* so many that no place within a step is likelier */

uint64_t visit_moves;

uint64_t invocation_now_ns(void)
{
	return (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
}

/* A disturbance of the event at hand is one of all that it has samples for. */
static void note_fed(struct bench *b, struct case_run *run)
{
	for (unsigned int i = 0; i < b->now.n_fed; i++)
		if (b->now.fed[i] == run)
			return;
	if (run == b->now.current || b->now.n_fed == MAX_FED)
		return;
	run->got.kept = run->got.events.n;
	b->now.fed[b->now.n_fed++] = run;
}

static void keep(struct bench *b, const struct bench_case *c, double x,
		 bool own_unit)
{
	struct case_run *run = bench_case_of(b, c);

	if (!run)
		return;
	evidence_touch(b, run);
	if (!isfinite(x)) {
		bench_fail(b, 0, "recorded a sample that is not a number");
		return;
	}
	run->got.own_unit = own_unit;
	if (b->now.phase == PHASE_COLD && isnan(run->got.cold))
		run->got.cold = x;
	if (b->now.phase != PHASE_SAMPLE)
		return;
	note_fed(b, run);
	sample_push(&run->got.events, x);
}

void bench_record(struct bench *b, const struct bench_case *c, uint64_t ticks)
{
	keep(b, c, (double)ticks, false);
}

void bench_record_value(struct bench *b, const struct bench_case *c,
			double value)
{
	keep(b, c, value, true);
}

void bench_waited(struct bench *b, double waited_ns, double of_ns)
{
	b->now.waited = waited_ns > (1 - BENCH_MOSTLY) * of_ns;
}

uint64_t bench_random(struct bench *b)
{
	return random_next(&b->now.rng);
}

/* Nothing is chosen inside the interval, nor loaded but what @run needs. */
static __attribute__((noinline)) int time_batch(bench_run_fn *run,
						struct bench *b,
						const struct bench_case *c,
						uint64_t iters, uint64_t *ticks)
{
	void *state = b->state;
	int err;

	TIMER_INTERVAL(b->timer.method, *ticks, err = run(b, state, c, iters));
	return err;
}

/* Arguments of a batch callback. */
struct batch {
	struct bench *b;
	struct case_run *run;
	bool is_baseline;
};

static int one_batch(void *arg, uint64_t iters, uint64_t *ticks)
{
	const struct batch *t = arg;
	struct bench *b = t->b;
	const struct bench_desc *d = b->desc;
	const struct bench_case *c = &t->run->c;
	struct case_samples *got = &t->run->got;
	struct op_counts *counts =
		t->is_baseline ? &got->base_counts : &got->counts;
	bench_run_fn *run = t->is_baseline ? c->baseline : c->run;
	const bool warming_up = b->now.warming_up;
	uint64_t ignored;
	int err;

	visit_moves++;
	err = d->prepare ? d->prepare(b, b->state, c) : 0;
	if (!err)
		err = op_counts_begin(b->counters);
	if (!err)
		err = time_batch(run, b, c, iters, ticks ? ticks : &ignored);
	b->now.warming_up |= !ticks;
	if (!err)
		err = op_counts_end(b->counters,
				    b->now.warming_up ? NULL : counts,
				    iters > got->series.iters ? OP_LONGER
							      : OP_BRIEF);
	if (!err && d->conclude && !t->is_baseline)
		d->conclude(b, b->state, c, iters);
	b->now.warming_up = warming_up;
	/* conclude() may have ended the case. */
	return err || t->run->verdict.state < CASE_SKIPPED ? err : -ECANCELED;
}

/* The time that warming up a case may take in this visit, ns. */
static double warm_up_ns(const struct case_run *run)
{
	const bool all = run->got.begun || run->c.exclusive;

	return fmin(1e9, WARM_UP_SHARE * run->got.time_ns *
				 (all ? 1 : VISIT_PASSES));
}

/* Samples are taken until the time of the visit is over, and @least of them
 * whatever they cost.  @ask: of events, when to look at the clock next, at each
 * eighth more of them: a page fault right after a look costs 3 % more.  NULL:
 * always. */
static bool goes_on(const struct case_run *run, uint64_t begin_ns,
		    unsigned int taken, unsigned int least, unsigned int *ask)
{
	if (run->c.most && run->got.sampled + taken >= run->c.most)
		return false;
	if (ask && taken < *ask)
		return true;
	if (ask)
		*ask = taken + taken / 8 + 1;
	return (double)(invocation_now_ns() - begin_ns) < run->got.time_ns ||
	       taken < least;
}

/* @waited of the samples @taken waited for a CPU: if none is left the visit is
 * made up for.  Other threads that they need (of the kernel, of a server) may
 * have waited as well, unseen: the grade says how many did. */
static void note_sampled(struct bench *b, struct case_run *run,
			 uint64_t begin_ns, unsigned int taken,
			 unsigned int waited)
{
	run->got.sampled += taken;
	run->got.lost += waited;
	run->got.sampled_ns += (double)(invocation_now_ns() - begin_ns);
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
		run->got.involuntary +=
			(uint64_t)each *
			(seen->involuntary < n ? seen->involuntary : n);
	if (seen->migrated)
		run->got.migrated += (uint64_t)each * n;
}

/* An event is no sample if it waited for a CPU for more of its time than can
 * be borne.  It may have brought samples of derived cases, too.
 * Return: whether it did. */
static bool tag_event(struct bench *b, struct case_run *run,
		      const struct noise *seen)
{
	bool waited;

	if (!b->now.waited)
		bench_waited(b, seen->waited_ns, seen->ns);
	waited = b->now.waited && !run->c.waits && !b->now.none;
	for (unsigned int i = 0; i <= b->now.n_fed; i++) {
		struct case_run *of = i ? b->now.fed[i - 1] : run;

		if (waited || b->now.none)
			of->got.events.n = of->got.kept;
		else
			tag(of, seen, 1, 1);
		of->got.waited += waited;
	}
	return waited;
}

static int warm_up(struct bench *b, struct batch *t, struct batch *base)
{
	const double limit = warm_up_ns(t->run) * 1e-9 * b->timer.hz;
	struct case_run *run = t->run;
	struct sample_settled ignored;
	int err = 0;

	if (!run->got.begun)
		err = sample_pilot(one_batch, t, &b->timer, MAX_ITERS,
				   &run->got.series.iters, &run->got.cold);
	if (err)
		return err;
	run->got.begun = true;
	run->got.base.iters = run->got.series.iters;
	run->got.series.capped = run->got.series.iters >= MAX_ITERS;
	err = sample_settle(one_batch, t, run->got.series.iters, limit,
			    &ignored);
	if (!err && run->c.baseline)
		err = sample_settle(one_batch, base, run->got.series.iters,
				    limit, &ignored);
	return err;
}

static int visit_repeated(struct bench *b, struct case_run *run)
{
	struct batch t = { b, run, false }, base = { b, run, true };
	const bool first = !run->got.begun;
	struct quad_times times = { 0 };
	struct noise seen;
	unsigned int quads = 0, waited = 0;
	uint64_t begin, from;
	int err;

	if (!run->c.run)
		return bench_fail(b, EINVAL, "%s has no run()", run->c.name);
	/* Before the warm-up: on a Zen 5 loops take up to 40 % longer for 100
	 * us after any system call, so none stands between a visit's quads. */
	noise_begin();
	from = timer_begin(b->timer.method);
	b->now.warming_up = true;
	err = warm_up(b, &t, &base);
	b->now.warming_up = false;
	times.before = (double)(timer_end(b->timer.method) - from);
	begin = invocation_now_ns();
	for (; !err && goes_on(run, begin, quads, first ? LEAST : 1, NULL);
	     quads++) {
		from = timer_begin(b->timer.method);
		err = sample_quad(one_batch, &t, &run->got.series);
		if (!err && run->c.baseline)
			err = sample_quad(one_batch, &base, &run->got.base);
		if (!err)
			sample_push(&times.quad,
				    (double)(timer_end(b->timer.method) -
					     from));
	}
	noise_end(&seen);
	times.waited = seen.waited_ns * 1e-9 * b->timer.hz;
	if (!err && times.waited > 0)
		waited = sample_drop_waits(&run->got.series, &run->got.base,
					   &times, 1 - BENCH_MOSTLY);
	sample_free(&times.quad);
	seen.involuntary -=
		waited < seen.involuntary ? waited : seen.involuntary;
	tag(run, &seen, quads - waited, 4);
	run->got.waited += 4 * (uint64_t)waited;
	note_sampled(b, run, begin, quads, waited);
	return err;
}

/* Wait for a random time, not by the clock: so that the next event begins
 * anywhere within one of its steps. */
static void dither(struct bench *b)
{
	const uint64_t most =
		(uint64_t)(DITHER_STEPS * b->timer.quantum_ticks) + 1;
	const uint64_t n = random_next(&b->now.dither) % most;

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
	struct op_counts *counts =
		phase == PHASE_SAMPLE ? &run->got.counts : NULL;
	uint64_t from = 0;
	int err = 0;

	visit_moves++;
	/* A pair around nothing for each event. */
	if (counts)
		err = op_counts_begin(b->counters);
	if (!err && counts)
		err = op_counts_end(b->counters, counts, OP_EMPTY);
	if (!err && d->prepare)
		err = d->prepare(b, b->state, &run->c);
	if (seen) {
		noise_begin();
		from = timer_begin(b->timer.method);
	}
	dither(b);
	if (!err)
		err = op_counts_begin(b->counters);
	if (err)
		return err;
	b->now.phase = phase;
	b->now.n_fed = 0;
	b->now.waited = false;
	run->got.kept = run->got.events.n;
	err = sample(b, b->state, &run->c);
	b->now.none = err == BENCH_NO_SAMPLE;
	err = b->now.none ? 0 : err;
	b->now.phase = PHASE_IDLE;
	if (seen) {
		seen->ns =
			timer_ns(&b->timer,
				 (double)(timer_end(b->timer.method) - from));
		noise_end(seen);
	}
	if (!err)
		err = op_counts_end(b->counters, counts, OP_BRIEF);
	if (!err && d->conclude)
		d->conclude(b, b->state, &run->c, 1);
	return err || run->verdict.state < CASE_SKIPPED ? err : -ECANCELED;
}

int visit_pilot(struct bench *b, struct case_run *run, uint64_t most,
		uint64_t *iters)
{
	struct batch t = { b, run, false };
	double cold;
	int err;

	if (run->c.sample)
		return 0;
	b->now.warming_up = true;
	err = sample_pilot(one_batch, &t, &b->timer, most, iters, &cold);
	b->now.warming_up = false;
	return err;
}

int visit_chunk(struct bench *b, struct case_run *run, struct case_run *target,
		uint64_t iters, double *ops, double *ns)
{
	bench_case_fn *sample = run->c.sample;
	struct batch t = { b, run, false };
	struct case_samples *got = &target->got;
	uint64_t ticks = 0;
	const int err = sample ? one_event(b, run, sample, PHASE_SAMPLE, NULL)
			       : one_batch(&t, iters, &ticks);

	*ops = sample ? 0 : (double)iters * run->c.ops;
	*ns = sample ? 0 : bench_ns(b, (double)ticks);
	/* A value in the case's unit is of one operation. */
	for (size_t i = 0; sample && !b->now.none && i < got->events.n; i++) {
		const double x = got->events.v[i];

		*ops += got->own_unit ? 1 : target->c.ops;
		*ns += got->own_unit ? x : bench_ns(b, x);
	}
	got->events.n = 0;
	return err;
}

static int visit_events(struct bench *b, struct case_run *run,
			bench_case_fn *sample)
{
	const double limit_ns = warm_up_ns(run);
	const bool first = !run->got.begun;
	uint64_t begin = invocation_now_ns();
	unsigned int warm = WARM_UP_EVENTS, events = 0, waited = 0, none = 0,
		     ask = 0;
	int err = 0;

	if (run->c.most && run->c.most < 4 * warm)
		warm = run->c.most / 4;
	warm = warm > run->c.cycle ? warm : run->c.cycle;
	run->got.begun = b->now.warming_up = true;
	for (unsigned int i = 0; !err && i < (first ? 1 + warm : 1); i++) {
		if (i > run->c.cycle &&
		    (double)(invocation_now_ns() - begin) > limit_ns)
			break;
		err = one_event(b, run, sample,
				first && !i ? PHASE_COLD : PHASE_WARM_UP, NULL);
	}
	b->now.warming_up = false;
	begin = invocation_now_ns();
	for (; !err && goes_on(run, begin, events,
			       !first ? 1
			       : events - waited - none < run->c.least
				       ? BENCH_LEAST_SPARE
				       : run->c.least,
			       &ask);
	     events++) {
		struct noise seen;

		err = one_event(b, run, sample, PHASE_SAMPLE, &seen);
		waited += !err && tag_event(b, run, &seen);
		none += b->now.none;
	}
	note_sampled(b, run, begin, events - none, waited);
	return err;
}

/* Frequencies move from one millisecond to the next, and cases have visits of
 * their own: what a process sees at its begin and end need not be theirs. */
static void note_core(struct bench *b, struct case_run *run)
{
	const double hz = reference_hz(&b->timer);
	const double share = reference_share(&b->timer);

	if (hz > 0) {
		sample_push(&run->got.core_hz, hz);
		sample_push(&b->now.core_hz, hz);
	}
	if (share > 0) {
		sample_push(&run->got.core_share, share);
		sample_push(&b->now.core_share, share);
	}
}

/* At both ends of a visit; what one has read last is true for the next one. */
static void note_beside(struct bench *b, struct case_run *run)
{
	const int cpu = run->got.has_partner ? run->got.partner_cpu : -1;
	struct beside *s = &b->now.beside;

	if (!s->now || s->cpu != cpu) {
		noise_taken_read(&s->taken, (const int[]) { b->cpu, cpu });
		s->cpu = cpu;
		s->now = true;
	}
}

void visit_settle(struct bench *b, struct case_run *run,
		  const struct beside *before, bool waits_known)
{
	const struct noise_taken *now = &b->now.beside.taken,
				 *then = &before->taken;
	const int64_t held = now->throttled - then->throttled;
	const unsigned int aside = run->verdict.set_aside;

	if (held > 0 && !waits_known)
		bench_purity(b, &run->c, "measurements_within_the_cpu_quota", 1,
			     1, 0);
	run->got.again = evidence_settle(b, run) && !run->got.made_up;
	if (run->verdict.set_aside > aside)
		return;
	run->got.visits++;
	run->got.throttled += held > 0;
	run->got.stolen += now->stolen[0] > then->stolen[0] ||
			   (b->now.beside.cpu == before->cpu &&
			    now->stolen[1] > then->stolen[1]);
}

void visit_open(struct bench *b, struct case_run *run, double time_ns)
{
	run->got.time_ns = time_ns;
	evidence_begin(b, run);
	b->now.current = run;
}

void visit_close(struct bench *b)
{
	b->now.current = NULL;
}

/* The ledger sees only reads of the clock: by so many it knows the case. */
static __attribute__((noinline)) void read_clock(size_t times)
{
	while (times--)
		clock_now_ns(CLOCK_MONOTONIC);
}

void visit_case(struct bench *b, struct case_run *run)
{
	const struct bench_desc *d = b->desc;
	bench_case_fn *sample = run->c.sample;
	const uint64_t begin = invocation_now_ns();
	const double kept = run->got.sampled - run->got.lost;
	const unsigned int aside = run->verdict.set_aside;
	struct beside before;
	uint64_t entered, left;
	int err, pinned;

	if (b->plan.marks) {
		read_clock(run->c.id % 16 + 1);
		invocation_now_ns();
		read_clock(run->c.id / 16 + 1);
	}
	visit_open(b, run, run->got.time_ns);
	note_beside(b, run);
	before = b->now.beside;
	noise_partners_begin();
	/* Not before the first sample, which is to find the caches cold. */
	if (run->got.begun)
		note_core(b, run);
	err = d->enter ? d->enter(b, b->state, &run->c) : 0;
	entered = invocation_now_ns();
	if (!err)
		err = sample ? visit_events(b, run, sample)
			     : visit_repeated(b, run);
	left = invocation_now_ns();
	b->now.beside.now = false;
	run->got.partner_cpu = b->unpinned ? -1 : noise_partner_cpu(b->cpu);
	run->got.has_partner = run->got.partner_cpu >= 0;
	if (d->leave)
		d->leave(b, b->state, &run->c);
	if (err)
		bench_fail(b, -err, "%s", run->c.name);
	/* It may have led this thread elsewhere. */
	pinned = bench_pin(b->cpu);
	if (pinned && !b->unpinned)
		bench_fail(b, -pinned, "go back to CPU %d", b->cpu);
	if (run->verdict.state == CASE_ASKED) {
		note_core(b, run);
		note_beside(b, run);
	}
	visit_close(b);
	visit_settle(b, run, &before, noise_knows_waits());
	if (run->verdict.set_aside > aside)
		run->got.lost = run->got.sampled - kept;
	run->got.visit_ns =
		(double)(entered - begin + invocation_now_ns() - left);
}
