/* SPDX-License-Identifier: MIT */
/* Channels between processes carry what they say, and the death of a partner
 * or a wish to stop is an error and no hang. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/lib/ipc_channel.h"
#include "../../bench/lib/ipc_partner.h"
#include "../../bench/lib/ipc_ring.h"
#include "invocation.h"
#include "tap.h"

/* So many rounds that take so long will never end. */
#define HANGS_ROUNDS 1000
#define HANGS_S	     100

struct fixture {
	struct bench b;
	struct ipc_partner partner;
	struct ipc_ends ends;
	struct ipc_channel ch;
};

static int interrupted(void *arg)
{
	struct fixture *f = arg;

	return ipc_watch_again(&f->partner.watch, &f->b, f->partner.pid);
}

/* Return: 0, or why there is no channel of that kind. */
static int start_on(struct fixture *f, enum ipc_via via, uint64_t size,
		    enum ipc_duty duty, int cpu)
{
	struct ipc_ends theirs;
	char name[40];
	int err;

	memset(f, 0, sizeof(*f));
	f->b.cpu = sched_getcpu();
	snprintf(name, sizeof(name), "/oscost-test-%d", getpid());
	if (ipc_partner_open(&f->partner, &f->b) ||
	    ipc_partner_need(&f->partner))
		return -EIO;
	err = ipc_open(via, size, name, &f->ends, &theirs);
	if (err)
		return err;
	f->ch = (struct ipc_channel) {
		.rings = &f->partner.shared->rings,
		.buf = f->partner.buf,
		.interrupted = interrupted,
		.arg = f,
	};
	ipc_attach(&f->ch, &f->ends);
	return ipc_partner_begin(&f->partner, &theirs, cpu, duty);
}

static int start(struct fixture *f, enum ipc_via via, uint64_t size,
		 enum ipc_duty duty)
{
	return start_on(f, via, size, duty, sched_getcpu());
}

static void finish(struct fixture *f)
{
	ipc_close(&f->ends);
	ipc_partner_close(&f->partner);
	invocation_stop = 0;
}

static void round_trips(enum ipc_via via, uint64_t size)
{
	struct ipc_report report = { 0 };
	struct fixture f;
	int err = start(&f, via, size, IPC_ECHO);

	OK(!err, ipc_via_name(via));
	for (int i = 0; i < 100 && !err; i++) {
		err = ipc_send(&f.ch);
		err = err ? err : ipc_receive(&f.ch);
	}
	OK(!err && f.ch.received == 100, "a hundred answers, all in order");
	OK(!ipc_partner_end(&f.partner, &f.ch, &report) &&
		   report.received == 101 && report.sent == 100,
	   "the partner has counted the same, and the one to stop");
	finish(&f);
}

static void flow(enum ipc_via via, uint64_t size)
{
	struct ipc_report report = { 0 };
	struct fixture f;
	int err = start(&f, via, size, IPC_SOURCE);

	OK(!err, ipc_via_name(via));
	for (int i = 0; i < 10 && !err; i++) {
		ipc_partner_want(&f.partner, 50);
		for (int k = 0; k < 50 && !err; k++)
			err = ipc_receive(&f.ch);
	}
	OK(!err && f.ch.received == 500 && f.ch.bytes == 500 * size,
	   "as many messages and bytes as were asked for");
	OK(!ipc_partner_end(&f.partner, NULL, &report) && report.sent >= 500,
	   "the partner ends when it is told");
	finish(&f);
}

/* The partner is killed: whatever we wait for, the wait ends. */
static void death(enum ipc_via via)
{
	struct ipc_report report = { 0 };
	struct fixture f;
	int err = start(&f, via, 8, IPC_ECHO);

	OK(!err, ipc_via_name(via));
	kill(f.partner.pid, SIGKILL);
	/* Some messages may still fit into the channel. */
	for (int i = 0; i < 100000 && !err; i++) {
		err = ipc_send(&f.ch);
		err = err ? err : ipc_receive(&f.ch);
	}
	OK(err == -ESRCH || err == -EPIPE || err == -ECONNREFUSED ||
		   err == -ECONNRESET,
	   "a dead partner is an error");
	OK(ipc_partner_end(&f.partner, &f.ch, &report) && !f.partner.pid,
	   "and is reaped");
	OK(!ipc_partner_need(&f.partner) && f.partner.pid,
	   "and has a successor");
	finish(&f);
	OK(!f.partner.pid, "which is ended too");
}

static void stop(void)
{
	struct fixture f;

	OK(!start(&f, IPC_SHM_FUTEX, 64, IPC_SOURCE), "a source");
	invocation_stop = SIGINT;
	/* Nothing was asked for, so nothing will come. */
	OK(ipc_receive(&f.ch) == -ECANCELED, "a wish to stop ends a wait");
	finish(&f);
}

static void limits(void)
{
	struct ipc_ends a, b;

	OK(ipc_open(IPC_UNIX_DGRAM, 1ul << 30, "/x", &a, &b) == -EMSGSIZE &&
		   a.tx < 0 && b.rx < 0,
	   "a datagram of 1 GiB is too long, and nothing stays open");
	OK(ipc_open(IPC_EVENTFD, 16, "/x", &a, &b) == -EMSGSIZE,
	   "an eventfd has 8 bytes");
	OK(ipc_open(IPC_POSIX_MQ, 1ul << 40, "/oscost-test", &a, &b) < 0,
	   "so is a message of 1 TiB");
}

static int another_cpu(void)
{
	cpu_set_t may;

	sched_getaffinity(0, sizeof(may), &may);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may) && cpu != sched_getcpu())
			return cpu;
	return sched_getcpu();
}

/*
 * Both sides sleep and wake each other as often as can be, on two CPUs: one
 * wake-up lost, and it never ends, for no watch is there to break the wait.
 */
static void lost_wake_ups(enum ipc_duty duty, uint64_t size)
{
	struct ipc_report report = { 0 };
	struct fixture f;
	int err = start_on(&f, IPC_SHM_FUTEX, size, duty, another_cpu());

	OK(!err, "a ring between two CPUs");
	ipc_watch_stop(&f.partner.watch);
	for (int i = 0; i < 20000 && !err; i++) {
		if (i % HANGS_ROUNDS == 0)
			alarm(HANGS_S);
		if (duty == IPC_SOURCE)
			ipc_partner_want(&f.partner, 1 + (uint32_t)i % 3);
		else
			err = ipc_send(&f.ch);
		for (int k = duty == IPC_SOURCE ? 1 + i % 3 : 1; k && !err; k--)
			err = ipc_receive(&f.ch);
	}
	OK(!err, "no wake-up was lost");
	OK(!ipc_partner_end(&f.partner, duty == IPC_ECHO ? &f.ch : NULL,
			    &report),
	   "and it ends");
	alarm(0);
	finish(&f);
}

static void ring_order(void)
{
	static struct ipc_ring r;
	uint64_t out;
	int bad = 0;

	ipc_ring_reset(&r);
	/* Over the end and round again: 32 KiB messages, two in the ring. */
	for (uint64_t i = 0; i < 10; i++) {
		static unsigned char message[32768];

		memcpy(message, &i, sizeof(i));
		bad |= ipc_ring_put(&r, message, sizeof(message));
		memset(message, 0xff, sizeof(message));
		bad |= ipc_ring_get(&r, message, sizeof(message));
		memcpy(&out, message, sizeof(out));
		bad |= out != i;
	}
	OK(!bad, "a ring gives back what was put in, in order");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	ring_order();
	limits();
	for (enum ipc_via via = 0; via < IPC_VIAS; via++)
		round_trips(via, 8);
	round_trips(IPC_PIPE, 65536);
	round_trips(IPC_SHM_FUTEX, 262144);
	flow(IPC_PIPE, 64);
	flow(IPC_UNIX_STREAM, 8192);
	flow(IPC_UNIX_DGRAM, 1024);
	flow(IPC_SHM_FUTEX, 65536);
	flow(IPC_POSIX_MQ, 1024);
	lost_wake_ups(IPC_ECHO, 8);
	lost_wake_ups(IPC_SOURCE, 8);
	lost_wake_ups(IPC_SOURCE, 65536);
	for (enum ipc_via via = 0; via < IPC_VIAS; via++)
		death(via);
	stop();
	return tap_done();
}
