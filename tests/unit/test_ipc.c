/* SPDX-License-Identifier: MIT */
/* Channels between processes carry what they say, and the death of a partner
 * or a wish to stop is an error and no hang. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/task/lib/ipc_channel.h"
#include "../../bench/task/lib/ipc_partner.h"
#include "../../bench/task/lib/ipc_ring.h"
#include "program.h"
#include "tap.h"

/* So many rounds that take so long will never end. */
#define HANGS_ROUNDS 1000
#define HANGS_S	     100

struct fixture {
	struct bench b;
	struct ipc_shared *shared;
	struct ipc_partner partner, sink;
	struct ipc_ends ends;
	struct ipc_channel ch;
};

/* Return: 0, or why there is no channel of that kind. */
static int start_on(struct fixture *f, enum ipc_via via, uint64_t size,
		    enum ipc_duty duty, int cpu)
{
	struct ipc_ends theirs;
	char name[40];
	int err;

	static unsigned char buf[IPC_MOST_BYTES];

	memset(f, 0, sizeof(*f));
	f->b.cpu = sched_getcpu();
	snprintf(name, sizeof(name), "/oscost-test-%d", getpid());
	f->b.timer.method = TIMER_CLOCK;
	f->b.timer.hz = 1e9;
	f->shared = partner_share(sizeof(*f->shared));
	if (!f->shared)
		return -ENOMEM;
	f->partner.shared = f->sink.shared = f->shared;
	f->partner.buf = f->sink.buf = buf;
	err = ipc_open(via, size, name, &f->ends, &theirs);
	if (err)
		return err;
	f->ch = (struct ipc_channel) {
		.rings = &f->shared->rings,
		.buf = buf,
	};
	ipc_attach(&f->ch, &f->ends);
	return ipc_partner_start(&f->b, &f->partner, &theirs, cpu, duty);
}

static int start(struct fixture *f, enum ipc_via via, uint64_t size,
		 enum ipc_duty duty)
{
	return start_on(f, via, size, duty, sched_getcpu());
}

static void finish(struct fixture *f)
{
	ipc_close(&f->ends);
	partner_stop(&f->sink.partner);
	partner_stop(&f->partner.partner);
	partner_unshare(f->shared, sizeof(*f->shared));
	invocation_stop = 0;
}

static void round_trips(enum ipc_via via, uint64_t size)
{
	const struct ipc_report *report;
	struct fixture f;
	int err = start(&f, via, size, IPC_ECHO);

	OK(!err, ipc_via_name(via));
	for (int i = 0; i < 100 && !err; i++) {
		err = ipc_send(&f.ch);
		err = err ? err : ipc_receive(&f.ch);
	}
	OK(!err && f.ch.received == 100, "a hundred answers, all in order");
	report = &f.shared->report[IPC_ECHO];
	OK(!ipc_partner_end(&f.partner, &f.ch) && report->received == 101 &&
		   report->sent == 100,
	   "the partner has counted the same, and the one to stop");
	finish(&f);
}

/* Until the sink has made @stamps of them. */
static int receive_all(struct fixture *f, uint32_t stamps)
{
	int err;

	f->shared->wanted = stamps;
	err = ipc_partner_start(&f->b, &f->sink, &f->ends, sched_getcpu(),
				IPC_SINK);
	err = err ? err : ipc_partner_stamps(f->shared);
	err = err ? err : ipc_partner_end(&f->partner, NULL);
	return err ? err : ipc_partner_end(&f->sink, NULL);
}

static bool in_order(const struct ipc_stamp *s, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (s[i].bytes <= s[i - 1].bytes ||
		    (double)(s[i].ticks - s[i - 1].ticks) < IPC_SPAN_NS)
			return false;
	return true;
}

static void flow(enum ipc_via via, uint64_t size)
{
	struct ipc_report sent, got;
	struct fixture f;
	int err = start(&f, via, size, IPC_SOURCE);

	OK(!err, ipc_via_name(via));
	err = err ? err : receive_all(&f, 4);
	sent = f.shared->report[IPC_SOURCE];
	got = f.shared->report[IPC_SINK];
	OK(!err && sent.sent && got.received == sent.sent &&
		   got.bytes == sent.sent * size,
	   "all messages that were sent have come");
	OK(got.checked && got.right == got.checked,
	   "each byte that was looked at is right");
	OK(!err && in_order(f.shared->stamp, 4) &&
		   f.shared->stamp[3].bytes <= got.bytes,
	   "stamps are a span apart and have bytes between them");
	finish(&f);
}

/* A byte that is not the pattern's is seen. */
static void wrong_byte(void)
{
	struct ipc_ends mine, theirs;
	unsigned char out[64], in[64];
	struct ipc_channel tx = { .buf = out }, rx = { .buf = in };

	ipc_fill(out, sizeof(out));
	out[40] ^= 1;
	OK(!ipc_open(IPC_PIPE, sizeof(out), "/x", &mine, &theirs), "a pipe");
	ipc_attach(&tx, &mine);
	ipc_attach(&rx, &theirs);
	OK(!ipc_send(&tx) && !ipc_receive_checked(&rx) && rx.checked == 64 &&
		   rx.right == 63 && !rx.ended,
	   "63 bytes of 64 are right");
	tx.last = true;
	OK(!ipc_send(&tx) && !ipc_receive(&rx) && rx.ended,
	   "the last message says that it is");
	ipc_close(&mine);
	ipc_close(&theirs);
}

/* The partner is killed: whatever we wait for, the wait ends. */
static void death(enum ipc_via via)
{
	struct fixture f;
	int err = start(&f, via, 8, IPC_ECHO);

	OK(!err, ipc_via_name(via));
	kill(f.partner.partner.pid, SIGKILL);
	/* Some messages may still fit into the channel. */
	for (int i = 0; i < 100000 && !err; i++) {
		err = ipc_send(&f.ch);
		err = err ? err : ipc_receive(&f.ch);
	}
	OK(err == -ESRCH || err == -EPIPE || err == -ECONNREFUSED ||
		   err == -ECONNRESET,
	   "a dead partner is an error");
	OK(ipc_partner_end(&f.partner, &f.ch) && !f.partner.partner.page,
	   "and is reaped");
	finish(&f);
}

static void stop(void)
{
	struct fixture f;

	OK(!start(&f, IPC_SHM_FUTEX, 64, IPC_ECHO), "an echo");
	invocation_stop = SIGINT;
	/* Nothing was sent, so nothing will come. */
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

/* @how: SIG_BLOCK or SIG_UNBLOCK, for the signal of partner.h and others. */
static void watch(int how)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGALRM);
	sigprocmask(how, &set, NULL);
}

/*
 * Both sides sleep and wake each other as often as can be, on two CPUs: one
 * wake-up lost, and it never ends, for no watch breaks the wait.
 */
static void lost_wake_ups(uint64_t size)
{
	struct fixture f;
	int err = start_on(&f, IPC_SHM_FUTEX, size, IPC_ECHO, another_cpu());

	OK(!err, "a ring between two CPUs");
	watch(SIG_BLOCK);
	for (int i = 0; i < 20000 && !err; i++) {
		if (i % HANGS_ROUNDS == 0)
			alarm(HANGS_S);
		err = ipc_send(&f.ch);
		err = err ? err : ipc_receive(&f.ch);
	}
	OK(!err, "no wake-up was lost");
	OK(!ipc_partner_end(&f.partner, &f.ch), "and it ends");
	alarm(0);
	watch(SIG_UNBLOCK);
	finish(&f);
}

/* The same where one side is often ahead: the ring has two such messages. */
static void lost_wake_ups_of_flow(void)
{
	struct fixture f;
	int err = start_on(&f, IPC_SHM_FUTEX, 65536, IPC_SOURCE, another_cpu());

	OK(!err, "a flow between two CPUs");
	watch(SIG_BLOCK);
	alarm(HANGS_S);
	OK(!err && !receive_all(&f, 200) &&
		   f.shared->report[IPC_SINK].received ==
			   f.shared->report[IPC_SOURCE].sent,
	   "no wake-up was lost, and it ends");
	alarm(0);
	watch(SIG_UNBLOCK);
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
	wrong_byte();
	lost_wake_ups(8);
	lost_wake_ups(65536);
	lost_wake_ups_of_flow();
	for (enum ipc_via via = 0; via < IPC_VIAS; via++)
		death(via);
	stop();
	return tap_done();
}
