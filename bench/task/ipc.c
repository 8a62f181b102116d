/* SPDX-License-Identifier: MIT */
/*
 * ipc - how long does a message between two processes take, and how many
 * bytes a second can be sent?
 *
 * latency: one process sends a message and waits for one of the same size in
 * return; a partner process receives and answers: a round trip, as a request
 * and its reply are.  bandwidth: a partner sends messages one after the other
 * without end, and the measuring process receives them and notes how many bytes
 * it has after each 2 ms.  The first 12 ms do not
 * count.  On two CPUs a flow is in turns fast, while both ends run, and slow,
 * while they wake each other, and any pause makes it fast for some ms: so
 * nothing else runs meanwhile, and the value is the mean over time.
 *
 * Both sides block and never spin, so that both work on one CPU as well; place
 * says where the partner is pinned, for placement decides more than the
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
 *           trip: comparable with via=pipe,measure=latency).
 * Needs:    two CPUs for place=other_cpu.
 */
#include <math.h>

#include "bench.h"
#include "lib/flow.h"

/* Spans.  A flow that has just begun is faster: both ends run, and only then
 * begin to wait for each other.  As long at any effort, or that would decide
 * the value. */
#define WARM_UP 6
#define SPANS	8

/* The harness leaves the first event out, and some that warm up. */
#define UNCOUNTED(events) (1 + (events) / 4)

static const char points[] =
	"via={pipe,unix_stream,unix_dgram,eventfd,shm_futex,posix_mq,sysv_sem}"
	" measure={latency,bandwidth}"
	" size={0,8,64,1K,4K,8K,64K,?8..256K} place={same_cpu,other_cpu};"
	/* A semaphore carries nothing, an eventfd a number. */
	"not via=sysv_sem size!=0; not via!=sysv_sem size=0;"
	"not via=eventfd size!=8; not via={eventfd,sysv_sem} measure=bandwidth;"
	"not measure=latency size={64,1K,8K} !asked;"
	"not measure=bandwidth size={8,4K} !asked;"
	"is placed;"
	"is exclusive mean higher unit='B/s' most=$spans if measure=bandwidth";

struct state {
	struct ring pair; /* of a latency, while it is visited */
	struct flow flow; /* of a bandwidth */
	uint32_t span;	  /* of its log */
	uint64_t moment;  /* of its clock, of the next sample */
	uint64_t before;  /* messages received before the batch at hand */
};

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;

	return ring_laps(b, &s->pair, iters);
}

/*
 * The rate of the span that holds a moment, and the moments are as far apart as
 * spans should be: one that lasts longer counts as often as it is longer, so
 * that the mean is all bytes by all the time.
 */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct flow *log = &s->flow;
	const struct timer *t = bench_timer(b);
	const struct flow_stamp *at = &log->stamp[s->span];
	double ns;

	if (bench_stopping(b))
		return 0;
	while (at[1].ticks <= s->moment && s->span + 2 < log->wanted)
		at = &log->stamp[++s->span];
	if (at[1].ticks <= s->moment)
		return 0; /* more than there is room for, at a great effort */
	s->moment += (uint64_t)(FLOW_SPAN_NS * 1e-9 * t->hz);
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
	if (case_is(c, "measure", "bandwidth"))
		c->sample = sample;
	else
		c->run = run;
	return true;
}

static int cases(struct bench *b, void *state)
{
	BENCH_SET_NUMBER(b, "spans", BENCH_INT, spans_of(b));
	return 0;
}

static struct channel channel_of(const struct bench_case *c)
{
	const size_t size = (size_t)case_int(c, "size");

	return (struct channel) {
		.way = channel_way_of(case_str(c, "via")),
		.members = 2,
		/* Eight bytes for the number, also where nothing is carried. */
		.size = size ? size : sizeof(struct message),
	};
}

static int enter_flow(struct bench *b, struct state *s, int cpu)
{
	const uint32_t spans = spans_of(b);
	const uint32_t wanted = WARM_UP + spans + UNCOUNTED(spans) + 1;
	const int err = flow_begin(b, &s->flow, wanted, cpu);

	s->span = WARM_UP;
	s->moment = err ? 0 : s->flow.stamp[WARM_UP].ticks;
	return err;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct ring_account sum;
	const int cpu = bench_partner(b, c->place);
	int err;

	if (c->sample) {
		s->flow.ring.ch = channel_of(c);
		return enter_flow(b, s, cpu);
	}
	s->pair.ch = channel_of(c);
	err = ring_open(b, &s->pair);
	if (!err)
		err = ring_start(b, &s->pair, cpu);
	/* It is there when the first message has come back. */
	return err ? err : ring_count(b, &s->pair, &sum);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->before = s->pair.received;
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const double size = (double)case_int(c, "size");
	const double got = (double)(s->pair.received - s->before);

	if (c->sample)
		return 0; /* all at the end of the flow */
	bench_proof(b, c, "messages", (double)iters, got);
	if (size > 0)
		bench_proof(b, c, "bytes", (double)iters * size, got * size);
	return 0;
}

/* All that was sent has come, and each byte that was looked at was right. */
static int leave_flow(struct bench *b, const struct bench_case *c,
		      struct flow *f)
{
	const double size = (double)f->ring.ch.size;
	const int err = flow_end(b, f);

	if (err)
		return err;
	bench_fact(b, c, "partner_cpu", f->shared->cpu);
	bench_proof(b, c, "messages", (double)f->shared->sent,
		    (double)f->received);
	bench_proof(b, c, "bytes", (double)f->shared->sent * size,
		    (double)f->received * size);
	bench_proof(b, c, "bytes_right", (double)f->checked, (double)f->right);
	return 0;
}

static int leave_pair(struct bench *b, const struct bench_case *c,
		      struct ring *r)
{
	struct ring_account sum;
	const int err = ring_count(b, r, &sum);

	if (err)
		return err;
	bench_fact(b, c, "partner_cpu", sum.cpu);
	bench_least(b, c, "partner_received", (double)r->received,
		    (double)r->shared->account[1].received);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	int err = 0;

	if (s->moment)
		err = leave_flow(b, c, &s->flow);
	else if (s->pair.received && !s->pair.broken)
		err = leave_pair(b, c, &s->pair);
	s->moment = 0;
	ring_close(&s->pair);
	flow_close(&s->flow);
	return err;
}

const struct bench_desc bench_desc = {
	.name = "ipc",
	.switches = true,
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
};
