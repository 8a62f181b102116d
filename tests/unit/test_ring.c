/* SPDX-License-Identifier: MIT */
/* Rings and flows carry what they say by every channel, and the death of a
 * partner or a wish to stop is an error and no hang. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/task/ipc.c"
#include "program.h"
#include "tests.h"

/* If HANGS_ROUNDS rounds take HANGS_S seconds they will never end. */
#define HANGS_ROUNDS 1000
#define HANGS_S	     100

static struct bench b;

static void begin(void)
{
	b = (struct bench) { .cpu = sched_getcpu(),
			     .timer = { .method = TIMER_CLOCK, .hz = 1e9 } };
}

static int start(struct ring *r, enum channel_way way, size_t size,
		 unsigned int members, int cpu)
{
	int err;

	begin();
	*r = (struct ring) {
		.ch = { .way = way, .members = members, .size = size },
		.most = members > 2 ? 4096 : 0,
	};
	err = ring_open(&b, r);
	r->touch = (uint32_t)r->most / 2;
	return err ? err : ring_start(&b, r, cpu);
}

static void round_trips(enum channel_way way, size_t size, unsigned int members)
{
	struct ring_account sum;
	struct ring r;
	const char *name = channel_way_name(way);
	int err = start(&r, way, size, members, sched_getcpu());

	if (!err)
		err = ring_laps(&b, &r, 100);
	OK(!err && r.received == 100, "a hundred laps, all in order");
	OK(!err && !ring_count(&b, &r, &sum) &&
		   r.shared->account[members - 1].messages == 101,
	   name);
	ring_close(&r);
}

/* Those behind the members of a lap have no part in it. */
TEST(part_of_a_ring)
{
	struct ring_account sum;
	struct ring r;

	OK(!start(&r, CHANNEL_PIPE, 8, 6, sched_getcpu()), "six members");
	r.members = 3;
	OK(!ring_start(&b, &r, 0) && !ring_laps(&b, &r, 10) &&
		   !ring_count(&b, &r, &sum) &&
		   r.shared->account[2].messages == 11 &&
		   !r.shared->account[3].messages,
	   "three of them pass it on");
	ring_close(&r);
}

/* A thread that waits for its first message ends, and does not wait for it. */
static void threads(enum channel_way way)
{
	struct ring r = {
		.ch = { .way = way, .threads = true, .members = 2, .size = 8 },
	};

	begin();
	OK(!ring_open(&b, &r) && !ring_start(&b, &r, sched_getcpu()),
	   channel_way_name(way));
	ring_close(&r);
	OK(!r.made, "closed");
}

static void alone(enum channel_way way)
{
	struct ring r = {
		.ch = { .way = way, .members = 3, .size = 8 },
		.alone = true,
	};

	begin();
	OK(!ring_open(&b, &r) && !ring_start(&b, &r, 0) &&
		   !ring_laps(&b, &r, 100) && r.made == 1,
	   channel_way_name(way));
	ring_close(&r);
}

static bool in_order(const struct stamp *at, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (at[i].bytes <= at[i - 1].bytes ||
		    (double)(at[i].ticks - at[i - 1].ticks) < SPAN_NS)
			return false;
	return true;
}

static int begin_flow_of(struct state *s, enum channel_way way, size_t size,
			 uint32_t stamps, int cpu)
{
	int err;

	begin();
	*s = (struct state) {
		.ring.ch = { .way = way, .members = 2, .size = size },
		.stamps = stamps,
	};
	err = ring_open(&b, &s->ring);
	return err ? err : begin_flow(&b, s, cpu);
}

static void flow(enum channel_way way, size_t size)
{
	static struct state s;
	int err = begin_flow_of(&s, way, size, 4, sched_getcpu());

	OK(!err && in_order(s.stamp, 4) &&
		   s.stamp[3].bytes == s.ring.received * size,
	   "stamps are a span apart and have bytes between them");
	err = err ? err : end_flow(&b, &s);
	OK(!err, channel_way_name(way));
	OK(!err && s.ring.received &&
		   s.ring.received == s.ring.shared->account[1].messages,
	   "all messages that were sent have come");
	OK(s.checked && s.right == s.checked,
	   "each byte that was looked at is right");
	ring_close(&s.ring);
}

/* A byte that is not the pattern's is seen. */
TEST(wrong_byte)
{
	unsigned char buf[64];

	ring_fill(buf, sizeof(buf));
	OK(ring_right(buf, sizeof(buf)) == 64, "all bytes are right");
	buf[40] ^= 1;
	OK(ring_right(buf, sizeof(buf)) == 63, "63 bytes of 64 are right");
}

/* Another message than the one that is due is no answer. */
TEST(wrong_message)
{
	struct message stale = { 7, 0 };
	struct ring r;

	OK(!start(&r, CHANNEL_PIPE, 8, 2, sched_getcpu()), "a pair");
	ring_put(&r, 0, (unsigned char *)&stale);
	OK(ring_laps(&b, &r, 1) && r.broken && !r.received,
	   "a message out of order is an error");
	ring_close(&r);
}

static bool opens(enum channel_way way, size_t size)
{
	struct ring r = { .ch = { .way = way, .members = 2, .size = size } };
	const bool open = !ring_open(&b, &r);

	ring_close(&r);
	return open;
}

TEST(limits)
{
	begin();
	OK(!opens(CHANNEL_UNIX_DGRAM, 1ul << 30),
	   "a datagram of 1 GiB is too long");
	OK(!opens(CHANNEL_EVENTFD, 16), "an eventfd has 8 bytes");
	OK(!opens(CHANNEL_POSIX_MQ, 1ul << 40), "so is a message of 1 TiB");
	OK(channel_way_of("unix") == CHANNEL_UNIX_STREAM &&
		   channel_way_of("futex") == CHANNEL_FUTEX &&
		   channel_way_of("none") == CHANNEL_WAYS,
	   "ways by the begin of their names");
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
static void lost_wake_ups(size_t size)
{
	struct ring r;
	int err = start(&r, CHANNEL_SHM_FUTEX, size, 2, another_cpu());

	OK(!err, "a pair on two CPUs");
	watch(SIG_BLOCK);
	for (int i = 0; i < 20000 / HANGS_ROUNDS && !err; i++) {
		alarm(HANGS_S);
		err = ring_laps(&b, &r, HANGS_ROUNDS);
	}
	OK(!err, "no wake-up was lost");
	alarm(0);
	watch(SIG_UNBLOCK);
	ring_close(&r);
}

/* The same where one side is often ahead: the queue has two such messages. */
TEST(lost_wake_ups_of_flow)
{
	static struct state s;

	watch(SIG_BLOCK);
	alarm(HANGS_S);
	OK(!begin_flow_of(&s, CHANNEL_SHM_FUTEX, 65536, 200, another_cpu()) &&
		   !end_flow(&b, &s) &&
		   s.ring.received == s.ring.shared->account[1].messages,
	   "no wake-up was lost, and it ends");
	alarm(0);
	watch(SIG_UNBLOCK);
	ring_close(&s.ring);
}

TEST(queue_order)
{
	static union {
		struct queue queue;
		unsigned char room[65536 + 128];
	} u;
	static unsigned char message[32768];
	uint64_t out;
	int bad = 0;

	/* Over the end and round again: 32 KiB messages, two in the queue. */
	OK(queue_bytes(sizeof(message)) == 65536 &&
		   queue_bytes(1 << 17) == 1 << 18 && queue_bytes(8) == 65536,
	   "64 KiB, or two messages");
	for (uint64_t i = 0; i < 10; i++) {
		memcpy(message, &i, sizeof(i));
		queue_put(&u.queue, message, sizeof(message));
		memset(message, 0xff, sizeof(message));
		queue_get(&u.queue, message, sizeof(message));
		memcpy(&out, message, sizeof(out));
		bad |= out != i;
	}
	OK(!bad, "a queue gives back what was put in, in order");
}

TEST(all_ways)
{
	for (enum channel_way way = 0; way < CHANNEL_WAYS; way++) {
		round_trips(way, 8, 2);
		round_trips(way, 8, 5);
		alone(way);
		threads(way);
	}
	round_trips(CHANNEL_PIPE, 65536, 2);
	round_trips(CHANNEL_SHM_FUTEX, 262144, 2);
	flow(CHANNEL_PIPE, 64);
	flow(CHANNEL_UNIX_STREAM, 8192);
	flow(CHANNEL_UNIX_DGRAM, 1024);
	flow(CHANNEL_SHM_FUTEX, 65536);
	flow(CHANNEL_POSIX_MQ, 1024);
	lost_wake_ups(8);
	lost_wake_ups(65536);
}
