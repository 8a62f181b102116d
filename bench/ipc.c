/* SPDX-License-Identifier: MIT */
/*
 * ipc - how long does a message between two processes take, and how many
 * bytes a second can be sent?
 *
 * latency: one process sends a message and waits for one of the same size in
 * return; a partner process receives and answers: a round trip, as a request
 * and its reply are.  bandwidth: the partner sends messages one after the
 * other, and this process receives them all; what is counted are the bytes
 * that were received.  Both sides block and never spin, so that both work on
 * one CPU as well; place says where the partner is pinned, for placement
 * decides more than the mechanism.  Each message carries its number, which
 * the receiver checks.
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
 *           switches); bandwidth: bytes received in a second, from the
 *           difference of batches of n and 2n, so that starting the flow does
 *           not count.
 * Includes: the system calls of both sides, copying in and out, the switches;
 *           on another CPU waking that CPU when it was idle.  Minimum, mean
 *           and percentiles are of whole batches, start included.
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

/* Messages in one iteration of a bandwidth case: enough bytes to fill the
 * buffers of every channel (208 KiB at most), so that the flow is steady; but
 * not more messages than take a fraction of a millisecond. */
#define FLOW_BYTES   262144u
#define MAX_MESSAGES 128

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
	struct ipc_ends ends;
	struct ipc_channel ch;
	struct bench *b;
	uint64_t messages, bytes; /* seen before the batch at hand */
	bool broken; /* the partner and we are not in step any more */
	bool opened;
	char name[40]; /* of a message queue, for a moment */
};

static unsigned int flow_messages(uint64_t size)
{
	const uint64_t n = FLOW_BYTES / size;

	return n > MAX_MESSAGES ? MAX_MESSAGES : n < 2 ? 2 : (unsigned int)n;
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
		.bytes = flow ? cc->size : 0,
		.ops = flow ? flow_messages(cc->size) : 1,
		.budget_ms = 3,
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

static int interrupted(void *arg)
{
	struct state *s = arg;

	return ipc_watch_again(&s->partner.watch, s->b, s->partner.pid);
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	/* A partner that died is to be an error and not our end. */
	signal(SIGPIPE, SIG_IGN);
	s->b = b;
	err = ipc_partner_open(&s->partner, b);
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

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	const int cpu = cc->place == BENCH_SAME_CPU
				? bench_cpu(b)
				: bench_partner(b, cc->place);
	/* Eight bytes for the number, also where nothing is carried. */
	const uint64_t size = cc->size ? cc->size : sizeof(uint64_t);
	struct ipc_ends theirs;
	int err = ipc_partner_need(&s->partner);

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
	return 0;
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

static int run_echo(struct ipc_channel *ch, uint64_t iters)
{
	int err = 0;

	for (uint64_t i = 0; i < iters && !err; i++) {
		err = ipc_send(ch);
		if (!err)
			err = ipc_receive(ch);
	}
	return err;
}

static int run_flow(struct state *s, uint64_t messages)
{
	int err = 0;

	ipc_partner_want(&s->partner, (uint32_t)messages);
	for (uint64_t i = 0; i < messages && !err; i++)
		err = ipc_receive(&s->ch);
	return err;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	int err;

	if (!s->partner.pid)
		return 0; /* stopping */
	err = cc->duty == IPC_ECHO ? run_echo(&s->ch, iters)
				   : run_flow(s, iters * c->ops);
	if (!err)
		return 0;
	s->broken = true;
	if (err == -ECANCELED)
		return 0; /* the user wants to stop */
	return bench_fail(b, -err, "%s with the partner",
			  ipc_via_name(cc->via));
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	const double due = (double)iters * (double)c->ops;

	bench_proof(b, c, "messages", due,
		    (double)(s->ch.received - s->messages));
	if (cc->size)
		bench_proof(b, c, "bytes", due * (double)cc->size,
			    (double)(s->ch.bytes - s->bytes));
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct channel_case *cc = c->arg;
	struct ipc_report report = { 0 };
	const uint64_t sent = s->ch.sent;
	int err = 0;

	if (!s->opened)
		return 0;
	if (s->broken || bench_stopping(b))
		ipc_partner_drop(&s->partner);
	else
		err = ipc_partner_end(&s->partner,
				      cc->duty == IPC_ECHO ? &s->ch : NULL,
				      &report);
	ipc_close(&s->ends);
	s->opened = false;
	if (err && !bench_stopping(b))
		return bench_fail(b, -err, "the partner did not end well");
	if (err || s->broken || bench_stopping(b))
		return 0;
	bench_fact(b, c, "partner_cpu", report.cpu);
	if (cc->duty == IPC_ECHO)
		bench_proof(b, c, "partner_received", (double)sent,
			    (double)report.received);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
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
	.run = run,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
