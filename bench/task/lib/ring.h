/* SPDX-License-Identifier: MIT */
#ifndef RING_H
#define RING_H

#include "partner.h"

/*
 * Mailboxes of members that send each other messages of one size.  One process
 * opens them all; its children and threads have them from it, and keep them:
 * they are killed when it ends, so none waits for an end to be closed.
 */
#define CHANNELS(X, ...)                                                \
	X(PIPE, "pipe", __VA_ARGS__)                                    \
	X(EVENTFD, "eventfd", __VA_ARGS__) /* of 8 bytes */             \
	/* Two members have one pair of sockets. */                     \
	X(UNIX_STREAM, "unix_stream", __VA_ARGS__)                      \
	X(UNIX_DGRAM, "unix_dgram", __VA_ARGS__)                        \
	X(FUTEX, "futex", __VA_ARGS__)	   /* of 8, in shared memory */ \
	X(CONDVAR, "condvar", __VA_ARGS__) /* the same */               \
	/* A queue in shared memory. */                                 \
	X(SHM_FUTEX, "shm_futex", __VA_ARGS__)                          \
	X(POSIX_MQ, "posix_mq", __VA_ARGS__)                            \
	X(SYSV_SEM, "sysv_sem", __VA_ARGS__) /* carries nothing */
#define CHANNEL_ENUM(way, ...) CHANNEL_##way,
enum channel_way { CHANNELS(CHANNEL_ENUM, 0) CHANNEL_WAYS };

#define CHANNEL_MEMBERS 96 /* at most */

/* The begin of each message; the remaining bytes are a pattern. */
struct message {
	uint32_t number, word;
};

/*
 * A queue of messages in memory that two processes share: one writes, one
 * reads.  A side that finds it full or empty sleeps in a futex and never spins,
 * so both sides may run on one CPU under any policy; a side that changes it
 * makes the system call only if the other side has noted that it sleeps.
 *
 * Messages are copied in and out, as a kernel does, so that what is compared
 * is the mechanism.
 *
 * Each count is written by one side, which counts the messages (modulo 2^31)
 * in all bits but the lowest.  The lowest is set by the other side when it is
 * about to sleep on the count, and goes with the next change: in one word, so
 * that no order of events can lose it.  All zero: it is empty.
 */
struct queue {
	_Alignas(64) _Atomic uint32_t written;
	_Alignas(64) _Atomic uint32_t read;
	_Alignas(64) unsigned char data[];
};

/* The part of a mailbox that is in memory. */
struct mailbox {
	_Alignas(64) _Atomic uint32_t full; /* there is a message */
	struct message message;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct queue queue;
};

struct channel {
	enum channel_way way;
	bool threads;	      /* all members are threads of one process */
	unsigned int members; /* 0: it is closed */
	size_t size;	      /* of a message */
	struct port {
		int fd[2]; /* read end, write end; -1 */
		struct mailbox *box;
	} * port;	      /* of each member */
	int semaphore;	      /* System V id, with one for each; -1 */
	unsigned char *boxes; /* shared */
	size_t stride;	      /* from one to the next */
};

/* channel_way_name() - "pipe", "unix_stream" ...; channel_way_of() - the first
 * whose name begins so. */
const char *channel_way_name(enum channel_way way);
enum channel_way channel_way_of(const char *name);

/* queue_bytes() - that the messages take, each of @size bytes: as much as a
 * pipe holds by default, 64 KiB; two of them at least. */
size_t queue_bytes(size_t size);

/* queue_put(), queue_get() - copy one message of @size bytes in or out,
 * sleeping if there is no room or no message. */
void queue_put(struct queue *q, const void *message, size_t size);
void queue_get(struct queue *q, void *message, size_t size);

/*
 * A ring of processes or threads that pass a message on from one to the next;
 * two of them are a pair, whose lap is a round trip.  Member 0 is the measuring
 * one.  A member may read memory of its own before it passes the message on, as
 * those of lmbench's lat_ctx do: the message says how much.
 */

/* A member's account of itself. */
struct ring_account {
	_Alignas(64) int64_t voluntary; /* switches */
	int64_t involuntary;
	int64_t fetched;   /* pages from storage, each of which is waited for */
	uint64_t messages; /* that it received, or sent */
	uint64_t ticks;	   /* of its clock, when it woke up: of one_shot */
	int cpu;
};

struct ring_shared {
	/* To the others, which look at it when a message has come: go on, count
	 * yourself, or return. */
	_Alignas(64) _Atomic enum ring_order {
		RING_GO,
		RING_REPORT,
		RING_STOP,
	} order;
	uint32_t members; /* that take part */
	struct ring_account account[CHANNEL_MEMBERS];
};

/* All zero: it is closed. */
struct ring {
	/* Set before it is opened: way, threads, members and size of the
	 * channel; the most bytes that a member will read in a lap; whether
	 * the measuring process does all members' work by itself, so that
	 * none waits and none switches. */
	struct channel ch;
	size_t most;
	bool alone;
	partner_fn *work; /* of its members; NULL: they pass messages on */
	/* Settings of the laps: they may change. */
	uint32_t members, touch; /* that take part; bytes that each reads */

	uint64_t received;  /* messages, by the measuring process */
	unsigned int made;  /* members that run, with the measuring one */
	bool broken;	    /* a message was lost, or a member died */
	uint32_t number;    /* of the last message */
	unsigned char *buf; /* a message for each member */
	char *memory;	    /* of this one; alone: of all */
	struct ring_shared *shared;
	struct partner member[CHANNEL_MEMBERS]; /* but the measuring one */
};

/* ring_open() - make what the messages go through, for all members; they start
 * later.  Return: 0, bench_fail() or bench_skip(); then it is closed. */
int ring_open(struct bench *b, struct ring *r);

/* ring_start() - see that r->members take part, those that are new pinned to
 * @cpu.  Return: 0, bench_fail(), or bench_skip() where limits do not allow it.
 */
int ring_start(struct bench *b, struct ring *r, int cpu);

/* ring_laps() - @n laps.  alone: the calls and the reading of so many laps, and
 * of a futex also the wait, which finds the message there; a condition variable
 * makes no system call when none waits.  Return: 0 or bench_fail(). */
int ring_laps(struct bench *b, struct ring *r, uint64_t n);

/* ring_count() - one lap without reading in which each member that takes part
 * counts its switches; @sum: of them all.  Between two of these with n laps are
 * the switches of n + 1.  Return: 0 or bench_fail(). */
int ring_count(struct bench *b, struct ring *r, struct ring_account *sum);

/* ring_account_read() - of the calling thread. */
void ring_account_read(struct ring_account *a);

/* ring_put(), ring_get() - one message from @buf to member @to, or to @buf from
 * the mailbox of @self.  Return: 0 or -errno. */
int ring_put(const struct ring *r, unsigned int to, unsigned char *buf);
int ring_get(const struct ring *r, unsigned int self, unsigned char *buf);

/* ring_fill() - write the pattern of messages into @buf, behind a struct
 * message that says nothing; ring_right() - how many bytes of it are still
 * that. */
void ring_fill(unsigned char *buf, size_t bytes);
uint64_t ring_right(const unsigned char *buf, size_t bytes);

/* ring_close() - end and reap all members; nothing is left of the ring.  One
 * that is closed is fine. */
void ring_close(struct ring *r);

/* ring_stopping() - for the work, behind a message: whether it is to return. */
static inline bool ring_stopping(const struct ring *r)
{
	return atomic_load_explicit(&r->shared->order, memory_order_acquire) ==
	       RING_STOP;
}

#endif
