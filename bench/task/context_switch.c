/* SPDX-License-Identifier: MIT */
/*
 * context_switch - what does it cost to switch from one process or thread to
 * another?
 *
 * Two partners on one CPU send each other a message in turn, so that every
 * message makes the kernel switch: a round trip is two messages and two
 * switches (stat=round_trip).  The same calls made by one side alone, when
 * neither has to wait, are the mechanism (stat=mechanism, for both messages
 * of a round trip).  The rest, divided by the switches that the kernel
 * counted, is one switch (stat=switch): to wake the other, go to sleep,
 * choose, and change stacks and memory.  There are more than two of them
 * (switches_per_turn) where the woken preempts his waker before that one has
 * done.  A condition variable makes no system call when none waits, so there
 * the switch has bounds: switch_high holds those calls, switch_low is without
 * what they cost on a bare futex.  Where the partner has a CPU of its own only
 * the round trip is given.
 *
 * stat=explained adds to the mechanism of a pipe its switches at the cost
 * that two other ways, eventfd and Unix socket, have found; it should be the
 * round trip by pipe within the intervals of both.
 *
 * The ring is lmbench's lat_ctx: procs processes on one CPU pass a token
 * through pipes and each reads touch bytes of its own before it passes it on.
 * stat=hop is one message, one reading and what switching they take.
 * mechanism is the message and the reading by one process alone with one piece
 * of memory; mechanism_spread the same over as many pipes and pieces of memory
 * as the ring has.  switch_high is the hop less the first: it holds what the
 * memory of the others displaced in the caches, as lmbench has it.  switch_low
 * is the hop less the second, divided by the switches that were counted.
 *
 * stat=one_shot is the method of the CSE 221 report: one message to a
 * sleeping partner, which stops the clock.
 *
 * Measures: ns of a round trip, of the mechanism, of one switch, of one hop.
 * Includes: the calls that pass the message, unless it is a switch figure.
 * After:    lmbench lat_ctx (switch_high of the ring is comparable; it gives
 *           no bounds), perf bench sched pipe (a round trip), CSE 221 report
 *           section 3.6 (one_shot).
 * Needs:    for the ring 95 more processes and up to 96 MiB of memory, else
 *           those cases are skipped.
 */
#include <math.h>
#include <unistd.h>

#include "bench.h"
#include "lib/ring.h"

#define MOST  BENCH_TEXT(CHANNEL_MEMBERS)
#define TOUCH "touch={0,4K,16K,64K,512K,?0..512K/64}"
/* Ours for all members that there may be, and each one's own. */
#define MEMORY "needs memory=2*" MOST "*touch;"

static const char points[] =
	"between={process,thread}"
	" by={pipe,eventfd,unix,futex,condvar}"
	" place={same_cpu,same_core,same_package,other_package}"
	" stat={round_trip,mechanism,switch,switch_low,switch_high,explained}"
	";"
	"not place!=same_cpu stat!=round_trip;"
	"not by=condvar stat=switch;"
	"not by!=condvar stat={switch_low,switch_high};"
	"not by!=pipe stat=explained;"
	"is switches; needs switches if stat=round_trip;"
	"switch := (whole_ns:round_trip - without_switch_ns:mechanism)"
	" / divided_by_switches:round_trip.switches_per_turn;"
	"switch_high := (whole_ns:round_trip - without_switch_ns:mechanism)"
	" / divided_by_switches:round_trip.switches_per_turn;"
	/* No switch without a wait and a wake-up, and of those the mechanism of
	 * a bare futex has two. */
	"switch_low := (whole_ns:round_trip - without_switch_ns:(mechanism"
	" + round_trip.switches_per_turn * [by=futex stat=mechanism] / 2))"
	" / divided_by_switches:round_trip.switches_per_turn;"
	"explained := mechanism_ns:mechanism"
	" + switches_per_turn:round_trip.switches_per_turn"
	" * switch_by_other_ways_ns:(([by=eventfd stat=switch]"
	" + [by=unix stat=switch]) / 2);"

	"between=process by=pipe place=same_cpu stat=one_shot;"
	"between=thread by=condvar place=same_cpu stat=one_shot;"
	"is switches; needs switches;"

	"procs=1 " TOUCH " stat=mechanism; is switches;" MEMORY

	/* The upper bound is a hop, whatever it takes; the lower one is what
	 * each of its switches took. */
	"procs={2,4,8,16,64,96,?2.." MOST "} " TOUCH
	" stat={hop,mechanism_spread,switch_low,switch_high};"
	"is switches; needs switches if stat=hop;" MEMORY
	"switch_low := (whole_ns:hop - without_switch_ns:mechanism_spread)"
	" / divided_by_switches:hop.switches_per_turn;"
	"switch_high := (whole_ns:hop"
	" - without_switch_ns:[procs=1 stat=mechanism])"
	" / divided_by_switches:1";

/* A ring whose memory is larger than this disturbs whatever is measured next,
 * and takes long enough to be visited once. */
#define HEAVY_BYTES ((size_t)8 << 20)
#define HOPS	    32 /* in one event of a ring, at least */

/* The state of a case. */
struct switch_case {
	bool one_shot;
	bool pair;  /* two partners, whose turn is a round trip; else a hop */
	bool alone; /* a mechanism */
	uint32_t members, touch;
	unsigned int laps; /* in one event of a ring */

	double turns;	 /* that were made, in all */
	double switches; /* that the kernel counted for them */
};

struct state {
	/* Rings and, for a visit to their case, pairs; by alone. */
	struct ring ring[2], pair[2];
	uint64_t laps;		    /* of this visit */
	struct ring_account begin;  /* of it, of all members together */
	struct ring_account before; /* of this side, before the batch */
};

/* For one shot, on both sides. */
static enum timer_method method;

static struct ring *ring_of(struct state *s, const struct switch_case *p)
{
	return (p->pair ? s->pair : s->ring) + p->alone;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;

	s->laps += iters;
	return ring_laps(b, ring_of(s, c->data), iters);
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct switch_case *p = c->data;

	p->one_shot = case_is(c, "stat", "one_shot");
	p->pair = !case_has(c, "procs");
	p->alone = case_is(c, "stat", "mechanism") ||
		   case_is(c, "stat", "mechanism_spread");
	p->members = p->pair ? 2 : (uint32_t)case_int(c, "procs");
	p->touch = p->pair ? 0 : (uint32_t)case_int(c, "touch");
	p->laps = p->members < HOPS ? HOPS / p->members : 1;
	if (p->pair && !p->one_shot)
		c->run = run;
	if (!p->pair)
		c->ops = p->laps * p->members;
	c->exclusive = (size_t)p->members * p->touch >= HEAVY_BYTES;
	return true;
}

/*
 * One switch, timed once, as the CSE 221 report does it (section 3.6): the
 * parent reads the clock, writes to a pipe and waits for the child; the child,
 * asleep in read, wakes up, reads the clock and sends that back.  Two threads
 * do the same with a condition variable.  Here one partner serves all samples
 * of a visit: a child that is new each time, as the report's is, also has in
 * its figure the pages that it touches first (22 of 28 us in a Zen 5 guest).
 */
static int stop_clock(struct partner *p, void *arg)
{
	const struct ring *r = arg;
	struct ring_account *mine = &r->shared->account[1], before;
	struct mailbox *box = r->ch.port[1].box;
	unsigned char message[sizeof(struct message)];
	int err = 0;

	do {
		ring_account_read(&before);
		if (r->ch.threads) {
			pthread_mutex_lock(&box->lock);
			while (!box->full)
				pthread_cond_wait(&box->filled, &box->lock);
			mine->ticks = timer_end(method);
			box->full = 0;
			pthread_mutex_unlock(&box->lock);
		} else {
			err = ring_get(r, 1, message);
			mine->ticks = timer_end(method);
		}
		ring_account_read(mine);
		mine->voluntary -= before.voluntary;
	} while (!err && !ring_stopping(r) && !ring_put(r, 0, message));
	return err;
}

/* A ring has room for the greatest case: made at the first visit that needs it,
 * for the other cases fork too, and should not have 96 processes beside them.
 */
static void plan(const struct bench *b, const struct bench_case *c,
		 struct ring *r)
{
	const struct switch_case *p = c->data;

	r->ch.size = sizeof(struct message);
	if (p->pair) {
		r->ch.way = channel_way_of(case_str(c, "by"));
		r->ch.threads = case_is(c, "between", "thread");
		r->ch.members = 2;
		r->work = p->one_shot ? stop_clock : NULL;
		return;
	}
	BENCH_EACH (b, any, "procs") {
		const struct switch_case *q = any->data;

		if (any->derived || !bench_selected(b, any))
			continue;
		if (q->members > r->ch.members)
			r->ch.members = q->members;
		if (q->touch > r->most)
			r->most = q->touch;
	}
}

static int take_ring(struct bench *b, struct ring *r, bool alone,
		     const struct bench_case *c, int cpu)
{
	const struct switch_case *p = c->data;
	int err = 0;

	if (!r->made) {
		r->alone = alone;
		plan(b, c, r);
		err = ring_open(b, r);
	}
	r->members = p->members;
	r->touch = p->touch;
	return err ? err : ring_start(b, r, cpu);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct switch_case *p = c->data;
	const int cpu = bench_partner(b, c->place);
	struct ring *r = ring_of(s, p);
	int err;

	s->laps = 0;
	method = bench_timer(b)->method;
	err = take_ring(b, r, p->alone, c, cpu);
	/* Between threads one is there all the same, asleep: a table of open
	 * files that two threads share is slower. */
	if (!err && p->alone && r->ch.threads)
		err = take_ring(b, &s->pair[0], false, c, cpu);
	if (err || p->alone || p->one_shot)
		return err;
	return ring_count(b, r, &s->begin);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct switch_case *p = c->data;
	int err = 0;

	if (p->one_shot)
		err = partner_settle(b, &s->pair[0].member[1]);
	ring_account_read(&s->before);
	return err;
}

/* It is no sample if the other was not yet asleep when the message came. */
static int sample_shot(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	struct ring *r = &s->pair[0];
	struct mailbox *box = r->ch.port[1].box;
	const struct ring_account *other = &r->shared->account[1];
	uint64_t begin;
	int err;

	if (r->ch.threads) {
		/* Set before the clock is read: what is priced is the wake-up
		 * and the switch, and the lock is free when it wakes. */
		pthread_mutex_lock(&box->lock);
		box->full = 1;
		pthread_mutex_unlock(&box->lock);
		begin = timer_begin(method);
		err = -pthread_cond_signal(&box->filled);
	} else {
		begin = timer_begin(method);
		err = ring_put(r, 1, r->buf);
	}
	if (!err)
		err = ring_get(r, 0, r->buf);
	if (err)
		return bench_fail(b, -err, "a message was lost");
	/* It waited for a CPU, else it would have been asleep. */
	if (!other->voluntary) {
		bench_waited(b, 1, 1);
		return 0;
	}
	bench_fact(b, c, "partner_cpu", other->cpu);
	if (other->cpu != bench_cpu(b))
		return bench_fail(b, 0, "the partner ran on CPU %d, not %d",
				  other->cpu, bench_cpu(b));
	bench_proof(b, c, "switches", 1, other->voluntary > 0);
	bench_record(b, c, other->ticks - begin);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct switch_case *p = c->data;
	struct ring *r = ring_of(s, p);
	uint64_t ticks;
	int err;

	if (p->one_shot)
		return sample_shot(b, s, c);
	s->laps += p->laps;
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = ring_laps(b, r, p->laps));
	if (!err)
		bench_record(b, c, ticks);
	return err;
}

/*
 * A mechanism is one only if no message was waited for.  A preemption, which
 * counts as involuntary, is no wait; nor is one for a page of the program that
 * was fetched.  A wait for a lock or for a page being migrated is rare: it is
 * no message either, and does not reach the medians.
 */
static void never_waited(struct bench *b, const struct bench_case *c,
			 const struct state *s, double messages)
{
	struct ring_account now;
	double waited;

	ring_account_read(&now);
	waited = (double)(now.voluntary - s->before.voluntary) -
		 (double)(now.fetched - s->before.fetched);
	bench_purity(b, c, "messages_without_waiting", BENCH_MOSTLY, messages,
		     messages - fmax(0, waited));
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;
	const struct switch_case *p = c->data;

	if (p->alone)
		never_waited(b, c, s,
			     (double)p->members *
				     (double)(p->pair ? iters : p->laps));
}

/*
 * On one CPU no message is passed without a switch, of whatever kind: who is
 * woken may preempt his waker, which counts as involuntary.  On two CPUs an
 * answer may come before its reader has gone to sleep, so there half of them
 * may be missing.
 */
static void count_switches(struct bench *b, struct state *s,
			   const struct bench_case *c, struct switch_case *p)
{
	struct ring *r = ring_of(s, p);
	const double share = c->place == BENCH_SAME_CPU ? 1 : 0.5;
	struct ring_account end;
	double switches, messages;
	int err;

	if (!s->laps || r->broken)
		return;
	err = ring_count(b, r, &end);
	for (uint32_t i = 1; !err && !p->pair && i < p->members; i++)
		if (r->shared->account[i].cpu != bench_cpu(b))
			err = bench_fail(b, 0, "member %u is on CPU %d, not %d",
					 i, r->shared->account[i].cpu,
					 bench_cpu(b));
	if (err)
		return;
	switches = (double)(end.voluntary - s->begin.voluntary) +
		   (double)(end.involuntary - s->begin.involuntary);
	/* Each counted itself when the message came, at both ends: the switches
	 * of one lap more are between. */
	messages = (double)p->members * (double)(s->laps + 1);
	bench_least(b, c, "switches", share * messages, switches);
	/* Add the counts of this visit to the earlier ones: all other figures
	 * of the row are shares of them. */
	p->turns += p->pair ? messages / 2 : messages;
	p->switches += switches;
	bench_fact(b, c, "switches_per_turn", p->switches / p->turns);
	bench_fact(b, c, p->pair ? "partner_cpu" : "members_cpu", end.cpu);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct switch_case *p = c->data;

	if (!p->alone && !p->one_shot)
		count_switches(b, s, c, p);
	for (int i = 0; i < 2; i++)
		ring_close(&s->pair[i]);
	/* A member that died is a new one at the next visit. */
	if (s->ring[0].broken)
		ring_close(&s->ring[0]);
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	for (int i = 0; i < 2; i++)
		ring_close(&s->ring[i]);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct switch_case),
	.points = points,
	.point = point,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
