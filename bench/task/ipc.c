/* SPDX-License-Identifier: MIT */
/*
 * ipc - how long does a message between two processes take, and how many
 * bytes a second can be sent?
 *
 * latency: one process sends a message and waits for one of the same size in
 * return; a partner process receives and answers: a round trip, as a request
 * and its reply are.  bandwidth: a partner sends messages one after the other
 * without end, and a second one, on the measuring CPU, receives them and notes
 * how many bytes it has after each 2 ms of its clock.  The first 12 ms do not
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
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "lib/ipc_channel.h"
#include "lib/ipc_partner.h"

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

struct channel_case {
	enum ipc_via via;
	enum ipc_duty duty;
	uint64_t size;
	enum bench_place place;
};

struct state {
	struct ipc_shared *shared;
	struct ipc_partner partner;
	struct ipc_partner sink; /* of a flow, on this CPU */
	uint32_t span;		 /* of its log */
	uint64_t moment;	 /* of its clock, of the next sample */
	struct ipc_ends ends;
	struct ipc_channel ch;
	uint64_t messages, bytes; /* received before the batch at hand */
	bool broken; /* the partner and we are not in step any more */
	bool opened;
	char name[40]; /* of a message queue, for a moment */
};

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	int err = 0;

	for (uint64_t i = 0; i < iters && !err; i++) {
		err = ipc_send(&s->ch);
		if (!err)
			err = ipc_receive(&s->ch);
	}
	s->broken = err;
	return err ? partner_failed(b, err) : 0;
}

/*
 * The rate of the span that holds a moment, and the moments are as far apart as
 * spans should be: one that lasts longer counts as often as it is longer, so
 * that the mean is all bytes by all the time.
 */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct ipc_shared *shared = s->shared;
	const struct timer *t = bench_timer(b);
	const struct ipc_stamp *at = &shared->stamp[s->span];
	double ns;

	if (bench_stopping(b))
		return 0;
	while (at[1].ticks <= s->moment && s->span + 2 < shared->wanted)
		at = &shared->stamp[++s->span];
	if (at[1].ticks <= s->moment)
		return 0; /* more than there is room for, at a great effort */
	s->moment += (uint64_t)(IPC_SPAN_NS * 1e-9 * t->hz);
	ns = timer_ns(t, (double)(at[1].ticks - at[0].ticks));
	bench_record_value(b, c,
			   (double)(at[1].bytes - at[0].bytes) * 1e9 / ns);
	return 0;
}

/* How many there will be must be known before the flow begins. */
static unsigned int spans_of(const struct bench *b)
{
	return (unsigned int)fmax(BENCH_LEAST_EVENTS, SPANS * bench_effort(b));
}

_Static_assert(IPC_MOST_BYTES == (size_t)256 * 1024, "as in the text");

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct channel_case *cc = c->data;
	const bool flow = case_is(c, "measure", "bandwidth");

	*cc = (struct channel_case) {
		.via = CASE_ENUM(c, "via", ipc_via_name, IPC_VIAS),
		.duty = flow ? IPC_SOURCE : IPC_ECHO,
		.size = (uint64_t)case_int(c, "size"),
		.place = c->place,
	};
	if (flow)
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

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	void *buf;

	/* A partner that died is to be an error and not our end. */
	signal(SIGPIPE, SIG_IGN);
	s->shared = partner_share(sizeof(*s->shared));
	buf = mmap(NULL, IPC_MOST_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (!s->shared || buf == MAP_FAILED)
		return bench_fail(b, ENOMEM, "memory for messages");
	s->partner.shared = s->sink.shared = s->shared;
	s->partner.buf = s->sink.buf = buf;
	s->ch = (struct ipc_channel) { .rings = &s->shared->rings, .buf = buf };
	/* Nobody else's: a process id, and a random number. */
	snprintf(s->name, sizeof(s->name), "/oscost-%d-%08x", getpid(),
		 (unsigned int)bench_random(b));
	bench_guard(b, "mq", s->name);
	return 0;
}

/* A channel that this machine's limits forbid is no failure. */
static int cannot_open(struct bench *b, const struct channel_case *cc, int err)
{
	const char *via = ipc_via_name(cc->via);

	switch (-err) {
	case EMSGSIZE:
		return bench_skip(b,
				  "%s: %llu bytes are more than a message "
				  "may have (sysctl %s)",
				  via, (unsigned long long)cc->size,
				  cc->via == IPC_POSIX_MQ
					  ? "fs.mqueue.msgsize_max"
					  : "net.core.wmem_default");
	case ENOSPC:
	case EMFILE:
	case ENFILE:
		return bench_skip(b, "%s: a limit of the system is reached: %s",
				  via, strerror(-err));
	case ENOSYS:
		return bench_skip(b, "%s: not in this kernel", via);
	default:
		return bench_fail(b, -err, "open %s", via);
	}
}

static void guard_semaphore(struct bench *b, int id)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", id);
	bench_guard(b, "sem", text);
}

/* The flow begins here, and goes on until leave(). */
static int begin_flow(struct bench *b, struct state *s)
{
	const uint32_t spans = spans_of(b);
	const uint32_t wanted = WARM_UP + spans + UNCOUNTED(spans) + 1;
	int err;

	s->shared->wanted = wanted < IPC_STAMPS ? wanted : IPC_STAMPS;
	s->span = WARM_UP;
	s->broken = true; /* a source alone does not end */
	err = ipc_partner_start(b, &s->sink, &s->ends, bench_cpu(b), IPC_SINK);
	if (err)
		return err;
	err = ipc_partner_stamps(s->shared);
	if (err)
		return partner_failed(b, err);
	s->broken = false;
	s->moment = s->shared->stamp[WARM_UP].ticks;
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->data;
	const int cpu = cc->place == BENCH_SAME_CPU
				? bench_cpu(b)
				: bench_partner(b, cc->place);
	/* Eight bytes for the number, also where nothing is carried. */
	const uint64_t size = cc->size ? cc->size : sizeof(uint64_t);
	struct ipc_ends theirs;
	int err = ipc_open(cc->via, size, s->name, &s->ends, &theirs);

	if (err)
		return cannot_open(b, cc, err);
	s->opened = true;
	s->broken = true;
	if (s->ends.semaphore >= 0)
		guard_semaphore(b, s->ends.semaphore);
	ipc_attach(&s->ch, &s->ends);
	err = ipc_partner_start(b, &s->partner, &theirs, cpu, cc->duty);
	if (err)
		return err;
	s->broken = false;
	return cc->duty == IPC_SOURCE ? begin_flow(b, s) : 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->messages = s->ch.received;
	s->bytes = s->ch.bytes;
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const struct channel_case *cc = c->data;

	if (cc->duty == IPC_SOURCE)
		return 0; /* all at the end of the flow */
	bench_proof(b, c, "messages", (double)iters,
		    (double)(s->ch.received - s->messages));
	if (cc->size)
		bench_proof(b, c, "bytes", (double)iters * (double)cc->size,
			    (double)(s->ch.bytes - s->bytes));
	return 0;
}

/* All that was sent has come, and each byte that was looked at was right. */
static void prove_flow(struct bench *b, const struct bench_case *c,
		       const struct ipc_report *source,
		       const struct ipc_report *sink)
{
	const struct channel_case *cc = c->data;

	bench_proof(b, c, "messages", (double)source->sent,
		    (double)sink->received);
	bench_proof(b, c, "bytes", (double)(source->sent * cc->size),
		    (double)sink->bytes);
	bench_proof(b, c, "bytes_right", (double)sink->checked,
		    (double)sink->right);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->data;
	const bool flow = cc->duty == IPC_SOURCE;
	const struct ipc_report *report = &s->shared->report[cc->duty];
	int err = 0;

	if (!s->opened)
		return 0;
	if (!s->broken) {
		err = ipc_partner_end(&s->partner, flow ? NULL : &s->ch);
		if (!err && flow)
			err = ipc_partner_end(&s->sink, NULL);
	}
	partner_stop(&s->partner.partner);
	partner_stop(&s->sink.partner);
	ipc_close(&s->ends);
	s->opened = false;
	if (err)
		return partner_failed(b, err);
	if (s->broken)
		return 0;
	bench_fact(b, c, "partner_cpu", report->cpu);
	if (flow)
		prove_flow(b, c, report, &s->shared->report[IPC_SINK]);
	else
		bench_least(b, c, "partner_received", (double)s->ch.sent - 1,
			    (double)report->received);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	partner_stop(&s->sink.partner);
	partner_stop(&s->partner.partner);
	if (s->opened)
		ipc_close(&s->ends);
	s->opened = false;
	partner_unshare(s->shared, sizeof(*s->shared));
}

const struct bench_desc bench_desc = {
	.name = "ipc",
	.switches = true,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct channel_case),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
