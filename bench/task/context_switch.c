/* SPDX-License-Identifier: MIT */
/*
 * context_switch - what does it cost to switch from one process or thread to
 * another?
 *
 * Two partners on one CPU send each other a message in turn, so that every
 * message makes the kernel switch: a round trip is two messages and two
 * switches (figure=round_trip).  The same calls made by one side alone, when
 * nobody has to wait, are the mechanism (figure=mechanism, for both messages
 * of a round trip).  What is left, divided by the switches that the kernel
 * counted, is one switch (figure=switch): to wake the other, go to sleep,
 * choose, and change stacks and memory.  There are more than two of them
 * (switches_per_turn) where the woken preempts his waker before that one has
 * done.  A condition variable makes no system call when nobody waits, so there
 * the switch has bounds: switch_high holds those calls, switch_low is without
 * what they cost on a bare futex.  With sched_yield nobody sleeps or wakes.
 * Where the partner has a CPU of its own only the round trip is given.
 *
 * figure=explained adds to the mechanism of a pipe its switches at the price
 * that two other ways, eventfd and Unix socket, have found; it should be the
 * round trip by pipe within the intervals of both.
 *
 * The ring is lmbench's lat_ctx: procs processes on one CPU pass a token
 * through pipes and each reads touch bytes of its own before it passes it on.
 * figure=hop is one message, one reading and what switching they take.
 * mechanism is the message and the reading by one process alone with one piece
 * of memory; mechanism_spread the same over as many pipes and pieces of memory
 * as the ring has.  switch_high is the hop less the first: it holds what the
 * memory of the others displaced in the caches, as lmbench has it.  switch_low
 * is the hop less the second, divided by the switches that were counted.
 *
 * figure=one_shot is the method of the CSE 221 report: one message to a
 * sleeping partner, which stops the clock.
 *
 * Measures: ns of a round trip, of the mechanism, of one switch, of one hop.
 * Includes: the calls that pass the message, unless it is a switch figure.
 * After:    lmbench lat_ctx (switch_high of the ring is comparable; it gives
 *           no bounds), perf bench sched pipe (a round trip), CSE 221 report
 *           section 3.6 (one_shot).
 * Needs:    for the ring 95 more processes and up to 96 MiB of memory, else
 * those cases are skipped.
 */
#include <errno.h>
#include <math.h>

#include "bench.h"
#include "kernel_tells.h"
#include "lib/switch_partner.h"
#include "lib/switch_points.h"
#include "lib/switch_ring.h"
#include "lib/switch_shot.h"
#include "partner.h"

struct context_switch_state {
	struct switch_partner partner;
	struct switch_link solo; /* for the mechanism: nobody at its far end */
	struct switch_ring ring;
	struct switch_account ring_begin;
	struct switch_shot shot;
	uint64_t count;		      /* of this visit: round trips, or hops */
	uint64_t batches;	      /* of this visit */
	struct switch_account before; /* of this side, before the batch */
};

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;
	int err;

	s->count += iters;
	s->batches++;
	if (p->figure == SWITCH_ROUND_TRIP)
		return switch_partner_trip(b, &s->partner, iters);
	err = switch_link_alone(&s->solo, iters);
	return err ? bench_fail(b, -err, "a message was lost") : 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	switch_point_fill(c);
	if (case_has(c, "between") && !case_is(c, "figure", "one_shot"))
		c->run = run;
	return true;
}

static int cpu_of(const struct bench *b, const struct switch_point *p)
{
	return p->place == BENCH_SAME_CPU ? bench_cpu(b)
					  : bench_partner(b, p->place);
}

static int enter_pair(struct bench *b, struct context_switch_state *s,
		      const struct switch_point *p)
{
	const int err = kernel_needs(b, KERNEL_SWITCHES);

	return err ? err
		   : switch_partner_start(b, &s->partner, p->way, p->threads,
					  cpu_of(b, p));
}

/*
 * The mechanism has a link of its own: at the far end of the other one a
 * partner would wake.  Between threads one is there all the same, asleep: a
 * table of open files that two threads share is dearer to use.
 */
static int enter_mechanism(struct bench *b, struct context_switch_state *s,
			   const struct switch_point *p)
{
	int err = switch_link_open(&s->solo, p->way, p->threads);

	if (err)
		return partner_refused(b, -err, switch_way_name(p->way));
	return p->threads ? switch_partner_start(b, &s->partner, p->way, true,
						 bench_cpu(b))
			  : 0;
}

/* Made at the first visit that needs it: the other cases fork too, and should
 * not have 96 processes beside them. */
static int need_ring(struct bench *b, struct context_switch_state *s)
{
	const struct switch_lap most = switch_points_greatest(b);

	if (s->ring.room)
		return 0;
	return switch_ring_open(b, &s->ring, most.members, most.bytes);
}

static int enter_hop(struct bench *b, struct context_switch_state *s,
		     const struct switch_point *p)
{
	int err =
		p->figure == SWITCH_HOP ? kernel_needs(b, KERNEL_SWITCHES) : 0;

	if (!err)
		err = need_ring(b, s);
	if (err)
		return err;
	switch_ring_touch(&s->ring, p->lap, p->figure != SWITCH_HOP);
	if (p->figure != SWITCH_HOP)
		return 0;
	err = switch_ring_grow(b, &s->ring, p->lap.members);
	if (err || bench_stopping(b))
		return err;
	return switch_ring_account(b, &s->ring, p->lap, &s->ring_begin);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;
	int err;

	s->count = s->batches = 0;
	switch (p->figure) {
	case SWITCH_ROUND_TRIP:
		return enter_pair(b, s, p);
	case SWITCH_MECHANISM:
		return enter_mechanism(b, s, p);
	case SWITCH_ONE_SHOT:
		err = kernel_needs(b, KERNEL_SWITCHES);
		return err ? err : switch_shot_open(b, &s->shot);
	default:
		return enter_hop(b, s, p);
	}
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;

	if (p->figure == SWITCH_ONE_SHOT)
		return switch_shot_ready(b, &s->shot, p->threads);
	switch_account_read(&s->before);
	return 0;
}

static int sample_shot(struct bench *b, struct context_switch_state *s,
		       const struct bench_case *c)
{
	uint64_t ticks;
	const int err = switch_shot_fire(b, &s->shot, &ticks);

	if (err)
		return err;
	bench_fact(b, c, "partner_cpu", s->shot.shared->cpu);
	if (s->shot.shared->cpu != bench_cpu(b))
		return bench_fail(b, 0, "the partner ran on CPU %d, not %d",
				  s->shot.shared->cpu, bench_cpu(b));
	bench_record(b, c, ticks);
	bench_proof(b, c, "switches", 1, switch_shot_switched(&s->shot));
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;
	uint64_t ticks;
	int err;

	if (p->figure == SWITCH_ONE_SHOT)
		return sample_shot(b, s, c);
	s->count += (uint64_t)p->laps * p->lap.members;
	if (p->figure == SWITCH_HOP)
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       err = switch_ring_run(b, &s->ring, p->lap,
						     p->laps))
	else
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       err = switch_ring_alone(&s->ring, p->lap,
						       p->laps))
	if (err)
		return bench_fail(b, -err, "pass the token");
	bench_record(b, c, ticks);
	return 0;
}

/*
 * A mechanism is one only if no message was waited for.  A yield that gives the
 * CPU away counts as involuntary, as does a preemption, and is no wait; nor is
 * one for a page of the program that was fetched.  Who comes upon a lock or a
 * page that the kernel is about to move waits too, once in a while: that is no
 * message either, and is not in the medians.
 */
static void never_waited(struct bench *b, const struct bench_case *c,
			 struct context_switch_state *s, double messages)
{
	const struct switch_point *p = c->data;
	struct switch_account now;
	double waited;

	switch_account_read(&now);
	waited = (double)(now.voluntary - s->before.voluntary) -
		 (double)(now.fetched - s->before.fetched);
	bench_purity(b, c, "messages_without_waiting", BENCH_MOSTLY, messages,
		     messages - fmax(0, waited));
	/* A third task that wants the CPU gets it. */
	if (p->way == SWITCH_YIELD && p->figure == SWITCH_MECHANISM)
		bench_purity(b, c, "yields_without_switch", BENCH_MOSTLY,
			     messages,
			     messages - (double)(now.involuntary -
						 s->before.involuntary));
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;

	switch (p->figure) {
	case SWITCH_ROUND_TRIP:
		return switch_partner_park(b, &s->partner);
	case SWITCH_MECHANISM:
		never_waited(b, c, s, 2 * (double)iters);
		return 0;
	case SWITCH_HOP_MECHANISM:
	case SWITCH_HOP_SPREAD:
		never_waited(b, c, s, (double)p->laps * p->lap.members);
		return 0;
	default:
		return 0;
	}
}

/* What was counted in this visit is added to what @c has already: all other
 * figures of the row are shares of it. */
static void count_in(struct bench *b, const struct bench_case *c,
		     const struct context_switch_state *s, double voluntary,
		     double involuntary)
{
	struct switch_point *p = c->data;

	p->turns += (double)s->count;
	p->switches += voluntary + involuntary;
	p->involuntary += involuntary;
	bench_fact(b, c, "switches_per_turn", p->switches / p->turns);
	bench_fact(b, c, "involuntary_per_turn", p->involuntary / p->turns);
}

/*
 * On one CPU a round trip cannot be made without two switches, of whatever
 * kind: who is woken may preempt his waker, which counts as involuntary.
 * On two CPUs an answer may come before its reader has gone to sleep, so there
 * half of them may be missing.
 * All switches of sched_yield are involuntary.  A scheduler that lets a task
 * that yields go on, or thinks that the partner has had too much, does not
 * switch; and the first call of a batch may miss a partner who is only waking
 * up.
 */
static int leave_pair(struct bench *b, struct context_switch_state *s,
		      const struct bench_case *c, const struct switch_point *p)
{
	const double turns = 2.0 * (double)s->count;
	const double share = p->place == BENCH_SAME_CPU ? 1 : 0.5;
	struct switch_account both;
	int err;

	if (!s->count || bench_stopping(b))
		return 0;
	err = switch_partner_account(b, &s->partner, &both);
	if (err)
		return err;
	if (p->way == SWITCH_YIELD) {
		both.voluntary = 0; /* waits for the first and the last one */
		bench_purity(b, c, "yields_that_switched", BENCH_MOSTLY,
			     turns - 2.0 * (double)s->batches,
			     (double)both.involuntary);
	} else {
		bench_least(b, c, "switches", share * turns,
			    (double)(both.voluntary + both.involuntary));
	}
	count_in(b, c, s, (double)both.voluntary, (double)both.involuntary);
	partner_seen(b, c, &s->partner.partner);
	return 0;
}

static int leave_hop(struct bench *b, struct context_switch_state *s,
		     const struct bench_case *c, const struct switch_point *p)
{
	struct switch_account end;
	double voluntary, involuntary;
	int err;

	if (!s->count || bench_stopping(b))
		return 0;
	err = switch_ring_account(b, &s->ring, p->lap, &end);
	if (err)
		return err;
	/* Each counted itself when the token came, at both ends: the switches
	 * of one lap more are between. */
	s->count += p->lap.members;
	voluntary = (double)(end.voluntary - s->ring_begin.voluntary);
	involuntary = (double)(end.involuntary - s->ring_begin.involuntary);
	bench_least(b, c, "switches", (double)s->count,
		    voluntary + involuntary);
	count_in(b, c, s, voluntary, involuntary);
	bench_fact(b, c, "members_cpu", s->ring.cpu);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct context_switch_state *s = state;
	const struct switch_point *p = c->data;
	int err = 0;

	if (p->figure == SWITCH_ROUND_TRIP)
		err = leave_pair(b, s, c, p);
	else if (p->figure == SWITCH_HOP)
		err = leave_hop(b, s, c, p);
	switch_partner_stop(&s->partner);
	switch_link_close(&s->solo);
	switch_shot_close(&s->shot);
	/* A member that died is a new one at the next visit. */
	if (s->ring.room && partner_check() == -ESRCH)
		switch_ring_close(&s->ring);
	return err;
}

static void teardown(struct bench *b, void *state)
{
	struct context_switch_state *s = state;

	switch_partner_stop(&s->partner);
	switch_link_close(&s->solo);
	switch_shot_close(&s->shot);
	switch_ring_close(&s->ring);
}

const struct bench_desc bench_desc = {
	.name = "context_switch",
	.state_size = sizeof(struct context_switch_state),
	.case_state_size = sizeof(struct switch_point),
	.points = switch_points,
	.point = point,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
