/* SPDX-License-Identifier: MIT */
/*
 * ipc - how long does a message between two processes take, and how many
 * bytes a second can be sent?
 *
 * latency: one process sends a message and waits for one of the same size in
 * return; a partner process receives and answers: a round trip, as a request
 * and its reply are.  bandwidth: a partner sends messages one after the other
 * without end, and the measuring process receives them and notes how many bytes
 * it has after each 2 ms.  The first 12 ms do not count.  On two CPUs a flow is
 * in turns fast, while both ends run, and slow, while they wake each other, and
 * any pause makes it fast for some ms: so nothing else runs meanwhile, and the
 * value is the mean over time.  On one CPU it depends on when the scheduler
 * lets the other run: 8 KiB by a POSIX queue gave 188 to 1 695 MB/s.
 *
 * Both sides block and never spin, so that both work on one CPU as well; place
 * is where the partner is pinned, because placement decides more than the
 * mechanism.  Each message carries its number, which the receiver checks.
 *
 * shm_futex is a queue in shared memory: messages are copied in and out, and
 * a side that finds it empty or full sleeps in a futex.  It holds 64 KiB, but
 * two messages at least: 8 of 8 KiB, and 2 of 64 KiB, which take 128, so its
 * bandwidth may be less in the middle of the curve.  An eventfd carries 8
 * bytes and no more; a System V semaphore carries nothing (size=0): they have
 * a latency only.  A POSIX queue has limits (msgsize_max, RLIMIT_MSGQUEUE) and
 * a datagram must fit into the send buffer: sizes beyond are skipped.
 *
 * A pipe holds 64 KiB, which is one message of size=64K: on two CPUs its ends
 * then take turns, and each byte goes from the cache of one CPU to the other's,
 * so that it can carry less than on one CPU.
 *
 * Measures: latency: one round trip (two messages and, on one CPU, two
 *           switches); bandwidth: bytes received in a second of a flow that
 *           neither begins nor ends meanwhile.
 * Includes: the system calls of both sides, copying in and out, the switches;
 *           on another CPU waking that CPU when it was idle.
 * After:    lmbench lat_pipe, lat_unix, lat_sem, bw_pipe, bw_unix (which do not
 *           place the partner); perf bench sched pipe (its "op" is a round
 *           trip: comparable with by=pipe,stat=latency).
 * Needs:    two CPUs for place=other_cpu.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "lib/ring.h"

/* Spans.  A flow that has just begun is faster: both ends run, and only then
 * begin to wait for each other.  As long at any effort, or that would decide
 * the value. */
#define WARM_UP 6
#define SPANS	8
#define SPAN_NS 2e6 /* at least */
#define STAMPS	1024

/* The harness leaves the first event out, and some that warm up. */
#define UNCOUNTED(events) (1 + (events) / 4)

/* Between two looks at the clock: so much that a look has no share in the time,
 * and so little that it takes a part of a span. */
#define LOOK_BYTES    262144u
#define LOOK_MESSAGES 128u

static const char points[] =
	"by={pipe,unix_stream,unix_dgram,eventfd,shm_futex,posix_mq,sysv_sem}"
	" stat={latency,bandwidth}"
	" size={0,8,64,1K,4K,8K,64K,?8..256K} place={same_cpu,other_cpu};"
	/* A semaphore carries nothing, an eventfd a number. */
	"not by=sysv_sem size!=0; not by!=sysv_sem size=0;"
	"not by=eventfd size!=8; not by={eventfd,sysv_sem} stat=bandwidth;"
	"not stat=latency size={64,1K,8K} !asked;"
	"not stat=bandwidth size={8,4K} !asked;"
	"is switches;"
	"is exclusive mean higher unit='B/s' most=$spans if stat=bandwidth";

struct state {
	struct ring ring;
	uint64_t before; /* messages received before the batch at hand */

	/* A flow: the partner sends messages without end. */
	const struct timer *timer;
	struct stamp { /* so much was received then */
		uint64_t ticks, bytes;
		double waited_ns; /* since the one before */
	} stamp[STAMPS];
	uint32_t stamps;	 /* that are made */
	uint64_t checked, right; /* bytes of which the pattern was looked at */
	uint32_t span;		 /* of the next sample, which */
	uint64_t moment;	 /* is in it */
};

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;

	return ring_laps(b, &s->ring, iters);
}

static int pour(struct partner *p, void *arg)
{
	const struct ring *r = arg;
	struct ring_account *mine = &r->shared->account[1];
	struct message m = { 0 };
	uint64_t sent = 0;
	int err;

	/* Pages of its own, before anything is timed. */
	ring_fill(r->buf, r->ch.size);
	err = partner_meet(p);
	while (!err && !m.word) {
		m.number = (uint32_t)++sent;
		m.word = ring_stopping(r);
		memcpy(r->buf, &m, sizeof(m));
		err = ring_put(r, 0, r->buf);
	}
	ring_account_read(mine);
	mine->messages = sent;
	return err;
}

/* The messages to the next look at the clock.  Return: 0, -ENODATA: the last
 * one has come, or -errno. */
static int drain_some(struct state *s, bool check)
{
	struct ring *r = &s->ring;
	const size_t size = r->ch.size;
	const uint64_t fit = LOOK_BYTES / size;
	const uint64_t n = fit < LOOK_MESSAGES ? fit : LOOK_MESSAGES;
	struct message m = { 0 };
	int err = 0;

	for (uint64_t i = 0; i < n && !err; i++) {
		if (check)
			memset(r->buf, 0, size);
		err = ring_get(r, 0, r->buf);
		if (err)
			return err;
		memcpy(&m, r->buf, sizeof(m));
		if (m.number != (uint32_t)++r->received)
			return -EBADMSG;
		if (check) {
			s->checked += size;
			s->right += ring_right(r->buf, size);
		}
		err = m.word ? -ENODATA : 0;
	}
	return err;
}

/* Each byte is looked at before and after the time that counts. */
static int drain_stamped(struct state *s)
{
	const struct timer *t = s->timer;
	int err = drain_some(s, true);

	for (uint32_t n = 0; n < s->stamps && !err; n++) {
		struct stamp *at = &s->stamp[n];

		do {
			err = n ? drain_some(s, false) : 0;
			at->ticks = timer_end(t->method);
		} while (!err && n &&
			 timer_ns(t, (double)(at->ticks - at[-1].ticks)) <
				 SPAN_NS);
		at->bytes = s->ring.received * s->ring.ch.size;
		at->waited_ns = partner_waited();
	}
	return err;
}

/* Start the source on @cpu, and receive until all stamps were made. */
static int begin_flow(struct bench *b, struct state *s, int cpu)
{
	int err;

	s->timer = bench_timer(b);
	s->ring.work = pour;
	err = ring_start(b, &s->ring, cpu);
	if (err)
		return err;
	err = partner_meet(&s->ring.member[1]);
	if (!err)
		err = drain_stamped(s);
	return err ? bench_fail(b, -err, "a message was lost") : 0;
}

/* Stop the source, and receive all that is still to come. */
static int end_flow(struct bench *b, struct state *s)
{
	int err = 0;

	s->ring.shared->order = RING_STOP;
	while (!err)
		err = drain_some(s, true);
	if (err == -ENODATA)
		err = partner_finish(&s->ring.member[1]);
	return err ? bench_fail(b, -err, "a message was lost") : 0;
}

/*
 * The rate of the span that holds a moment, and the moments are as far apart as
 * spans should be: one that lasts longer counts as often as it is longer, so
 * that the mean is all bytes by all the time.
 */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct timer *t = s->timer;
	const struct stamp *at = &s->stamp[s->span];
	double ns;

	while (at[1].ticks <= s->moment && s->span + 2 < s->stamps)
		at = &s->stamp[++s->span];
	if (at[1].ticks <= s->moment)
		return 0; /* more than there is room for, at a great effort */
	s->moment += (uint64_t)(SPAN_NS * 1e-9 * t->hz);
	ns = timer_ns(t, (double)(at[1].ticks - at[0].ticks));
	bench_waited(b, at[1].waited_ns, ns);
	bench_record_value(b, c,
			   (double)(at[1].bytes - at[0].bytes) * 1e9 / ns);
	return 0;
}

/* How many there will be must be known before the flow begins. */
static unsigned int spans_of(const struct bench *b)
{
	return (unsigned int)fmax(BENCH_LEAST_EVENTS, SPANS * bench_effort(b));
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	if (case_is(c, "stat", "bandwidth"))
		c->sample = sample;
	else
		c->run = run;
	return true;
}

static void cases(struct bench *b, void *state)
{
	BENCH_SET_NUMBER(b, "spans", BENCH_INT, spans_of(b));
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const uint32_t spans = spans_of(b);
	const uint32_t stamps = WARM_UP + spans + UNCOUNTED(spans) + 1;
	const int cpu = bench_partner(b, c->place);
	const size_t size = (size_t)case_int(c, "size");
	struct state *s = state;
	struct ring_account sum;
	int err;

	*s = (struct state) {
		.ring.ch = {
			.way = channel_way_of(case_str(c, "by")),
			.members = 2,
			/* The number, also where nothing is carried. */
			.size = size ? size : sizeof(struct message),
		},
		.stamps = stamps < STAMPS ? stamps : STAMPS,
		.span = WARM_UP,
	};
	err = ring_open(b, &s->ring);
	if (!err && c->sample) {
		err = begin_flow(b, s, cpu);
		s->moment = err ? 0 : s->stamp[WARM_UP].ticks;
		return err;
	}
	if (!err)
		err = ring_start(b, &s->ring, cpu);
	/* It is there when the first message has come back. */
	return err ? err : ring_count(b, &s->ring, &sum);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->before = s->ring.received;
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;
	const double size = (double)case_int(c, "size");
	const double got = (double)(s->ring.received - s->before);

	if (c->sample)
		return; /* all at the end of the flow */
	bench_proof(b, c, "messages", (double)iters, got);
	if (size > 0)
		bench_proof(b, c, "bytes", (double)iters * size, got * size);
}

/* All that was sent has come, and each byte that was looked at was right. */
static void leave_flow(struct bench *b, const struct bench_case *c,
		       struct state *s)
{
	const struct ring *r = &s->ring;
	const struct ring_account *source = &r->shared->account[1];
	const double size = (double)r->ch.size;

	if (end_flow(b, s))
		return;
	bench_fact(b, c, "partner_cpu", source->cpu);
	bench_proof(b, c, "messages", (double)source->messages,
		    (double)r->received);
	bench_proof(b, c, "bytes", (double)source->messages * size,
		    (double)r->received * size);
	bench_proof(b, c, "bytes_right", (double)s->checked, (double)s->right);
}

static void leave_pair(struct bench *b, const struct bench_case *c,
		       struct ring *r)
{
	struct ring_account sum;

	if (ring_count(b, r, &sum))
		return;
	bench_fact(b, c, "partner_cpu", sum.cpu);
	bench_least(b, c, "partner_received", (double)r->received,
		    (double)r->shared->account[1].messages);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (s->moment)
		leave_flow(b, c, s);
	else if (!c->sample && s->ring.received && !s->ring.broken)
		leave_pair(b, c, &s->ring);
	ring_close(&s->ring);
	*s = (struct state) { 0 };
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
};
