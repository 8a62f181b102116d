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
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

struct channel_case {
	enum ipc_via via;
	enum ipc_duty duty;
	uint64_t size;
	enum bench_place place;
};

#define MAX_CASES 128

struct state {
	struct channel_case cases[MAX_CASES];
	size_t n_cases;
	struct ipc_partner partner;
	struct ipc_partner sink; /* of a flow, on this CPU */
	uint32_t span;		 /* of its log */
	uint64_t moment;	 /* of its clock, of the next sample */
	struct ipc_ends ends;
	struct ipc_channel ch;
	struct bench *b;
	uint64_t messages, bytes; /* received before the batch at hand */
	bool broken; /* the partner and we are not in step any more */
	bool opened;
	char name[40]; /* of a message queue, for a moment */
};

static int interrupted(void *arg)
{
	struct state *s = arg;
	const int err =
		ipc_watch_again(&s->partner.watch, s->b, s->partner.pid);

	return err || !s->sink.pid ? err : ipc_watch_check(s->b, s->sink.pid);
}

/* What an error in the middle means for the case. */
static int broken(struct bench *b, struct state *s, const struct bench_case *c,
		  int err)
{
	const struct channel_case *cc = c->arg;

	s->broken = true;
	if (err == -ECANCELED)
		return 0; /* the user wants to stop */
	return bench_fail(b, -err, "%s with the partner",
			  ipc_via_name(cc->via));
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	int err = 0;

	if (!s->partner.pid)
		return 0; /* stopping */
	for (uint64_t i = 0; i < iters && !err; i++) {
		err = ipc_send(&s->ch);
		if (!err)
			err = ipc_receive(&s->ch);
	}
	return err ? broken(b, s, c, err) : 0;
}

/*
 * The rate of the span that holds a moment, and the moments are as far apart as
 * spans should be: one that lasts longer counts as often as it is longer, so
 * that the mean is all bytes by all the time.
 */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct ipc_shared *shared = s->partner.shared;
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

static void add(struct bench *b, struct state *s, const struct channel_case *cc)
{
	const bool flow = cc->duty == IPC_SOURCE;
	const bool other = cc->place != BENCH_SAME_CPU;
	struct channel_case *keep = &s->cases[s->n_cases++];
	const struct bench_case c = {
		.params = {
			P_STR("via", ipc_via_name(cc->via)),
			P_STR("measure", flow ? "bandwidth" : "latency"),
			P_SIZE("size", (int64_t)cc->size),
			P_STR("place", other ? "other_cpu" : "same_cpu"),
		},
		.arg = keep,
		.run = flow ? NULL : run,
		.sample = flow ? sample : NULL,
		.unit = flow ? "B/s" : NULL,
		.better = flow ? BENCH_HIGHER : BENCH_LOWER,
		.estimator = flow ? BENCH_EST_MEAN : BENCH_EST_DEFAULT,
		.events = flow ? SPANS : 0,
		.budget_ms = flow ? 0 : 3,
		.exclusive = flow, /* one warm-up */
		.switches = true,
		.skip = other && bench_partner(b, BENCH_ANY_OTHER) < 0 ?
			"needs a second CPU" : NULL,
	};

	*keep = *cc;
	bench_add(b, &c);
}

static void add_sizes(struct bench *b, struct state *s, enum ipc_via via,
		      enum ipc_duty duty, const uint64_t *size)
{
	for (; *size != UINT64_MAX; size++) {
		add(b, s,
		    &(struct channel_case) { via, duty, *size,
					     BENCH_SAME_CPU });
		add(b, s,
		    &(struct channel_case) { via, duty, *size,
					     BENCH_ANY_OTHER });
	}
}

static int cases(struct bench *b, void *state)
{
	static const uint64_t none[] = { 0, UINT64_MAX };
	static const uint64_t eight[] = { 8, UINT64_MAX };
	static const uint64_t some[] = { 8, 4096, 65536, UINT64_MAX };
	static const uint64_t many[] = { 64, 1024, 8192, 65536, UINT64_MAX };
	struct state *s = state;

	for (enum ipc_via via = 0; via < IPC_VIAS; via++) {
		if (via == IPC_SYSV_SEM)
			add_sizes(b, s, via, IPC_ECHO, none);
		else if (via == IPC_EVENTFD)
			add_sizes(b, s, via, IPC_ECHO, eight);
		else
			add_sizes(b, s, via, IPC_ECHO, some);
		if (via != IPC_SYSV_SEM && via != IPC_EVENTFD)
			add_sizes(b, s, via, IPC_SOURCE, many);
	}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	/* A partner that died is to be an error and not our end. */
	signal(SIGPIPE, SIG_IGN);
	s->b = b;
	err = ipc_partner_open(&s->partner, b, NULL);
	if (!err)
		err = ipc_partner_open(&s->sink, b, &s->partner);
	if (err)
		return bench_fail(b, -err, "shared memory for the partner");
	s->ch = (struct ipc_channel) {
		.rings = &s->partner.shared->rings,
		.buf = s->partner.buf,
		.interrupted = interrupted,
		.arg = s,
	};
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
static int begin_flow(struct bench *b, struct state *s,
		      const struct bench_case *c)
{
	const uint32_t events = bench_events(b, c);
	const uint32_t wanted = WARM_UP + events + UNCOUNTED(events) + 1;
	int err;

	s->partner.shared->wanted = wanted < IPC_STAMPS ? wanted : IPC_STAMPS;
	s->span = WARM_UP;
	err = ipc_partner_begin(&s->sink, &s->ends, bench_cpu(b), IPC_SINK);
	s->broken = err; /* a source alone does not end */
	if (err && !bench_stopping(b))
		return bench_fail(b, -err, "partner on CPU %d", bench_cpu(b));
	while (!err && ipc_partner_stamps(&s->sink))
		err = interrupted(s);
	s->moment = s->partner.shared->stamp[WARM_UP].ticks;
	return err ? broken(b, s, c, err) : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	const int cpu = cc->place == BENCH_SAME_CPU
				? bench_cpu(b)
				: bench_partner(b, cc->place);
	/* Eight bytes for the number, also where nothing is carried. */
	const uint64_t size = cc->size ? cc->size : sizeof(uint64_t);
	const bool flow = cc->duty == IPC_SOURCE;
	struct ipc_ends theirs;
	int err = ipc_partner_need(&s->partner);

	if (!err && flow)
		err = ipc_partner_need(&s->sink);
	if (err == -EAGAIN)
		return bench_skip(b, IPC_NO_ROOM);
	if (err)
		return bench_fail(b, -err, "fork a partner");
	err = ipc_open(cc->via, size, s->name, &s->ends, &theirs);
	if (err)
		return cannot_open(b, cc, err);
	s->opened = true;
	s->broken = false;
	if (s->ends.semaphore >= 0)
		guard_semaphore(b, s->ends.semaphore);
	ipc_attach(&s->ch, &s->ends);
	err = ipc_partner_begin(&s->partner, &theirs, cpu, cc->duty);
	if (err && !bench_stopping(b))
		return bench_fail(b, -err, "partner on CPU %d", cpu);
	return err || !flow ? 0 : begin_flow(b, s, c);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	(void)b;
	(void)c;
	s->partner.watch.checks = 0; /* it has moved */
	s->messages = s->ch.received;
	s->bytes = s->ch.bytes;
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;

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
	const struct channel_case *cc = c->arg;

	bench_proof(b, c, "messages", (double)source->sent,
		    (double)sink->received);
	bench_proof(b, c, "bytes", (double)(source->sent * cc->size),
		    (double)sink->bytes);
	bench_proof(b, c, "bytes_right", (double)sink->checked,
		    (double)sink->right);
}

/* @with: one that talks with another partner and not with us, or NULL. */
static int end_partners(struct state *s, struct ipc_report *report,
			struct ipc_report *with)
{
	int err;

	if (!with)
		return ipc_partner_end(&s->partner, &s->ch, report);
	err = ipc_partner_end(&s->partner, NULL, report);
	if (!err)
		err = ipc_partner_end(&s->sink, NULL, with);
	if (err)
		ipc_partner_drop(&s->sink);
	return err;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	const bool flow = cc->duty == IPC_SOURCE;
	struct ipc_report report = { 0 }, sink = { 0 };
	const uint64_t sent = s->ch.sent;
	int err = 0;

	if (!s->opened)
		return 0;
	if (s->broken || bench_stopping(b)) {
		ipc_partner_drop(&s->partner);
		ipc_partner_drop(&s->sink);
	} else {
		err = end_partners(s, &report, flow ? &sink : NULL);
	}
	ipc_close(&s->ends);
	s->opened = false;
	if (err && !bench_stopping(b))
		return bench_fail(b, -err, "the partner did not end well");
	if (err || s->broken || bench_stopping(b))
		return 0;
	bench_fact(b, c, "partner_cpu", report.cpu);
	if (flow)
		prove_flow(b, c, &report, &sink);
	else
		bench_proof(b, c, "partner_received", (double)sent,
			    (double)report.received);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
	ipc_partner_close(&s->sink);
	ipc_partner_close(&s->partner);
	if (s->opened)
		ipc_close(&s->ends);
	s->opened = false;
}

const struct bench_desc bench_desc = {
	.name = "ipc",
	.state_size = sizeof(struct state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
