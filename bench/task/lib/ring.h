/* SPDX-License-Identifier: MIT */
#ifndef RING_H
#define RING_H

#include "channel.h"
#include "partner.h"

/*
 * A ring of processes or threads that pass a message on from one to the next;
 * two of them are a pair, whose lap is a round trip.  Member 0 is the measuring
 * one.  A member may read memory of its own before it passes the message on, as
 * those of lmbench's lat_ctx do: the message says how much.
 */

/* What a member knows of itself. */
struct ring_account {
	_Alignas(64) int64_t voluntary; /* switches */
	int64_t involuntary;
	int64_t fetched;   /* pages from storage, each of which is waited for */
	uint64_t received; /* messages */
	uint64_t ticks;	   /* of its clock, when a message had come (shot.c) */
	int cpu;
};

struct ring_shared {
	_Alignas(64) _Atomic uint32_t order; /* enum ring_order */
	uint32_t members;		     /* that take part */
	struct ring_account account[CHANNEL_MEMBERS];
};

/* All zero: it is closed. */
struct ring {
	/* Set before it is opened: way, threads, members and size of the
	 * channel; the most bytes that a member will read in a lap; whether
	 * the measuring process does all members' work by itself, so that
	 * nobody waits and nobody switches. */
	struct channel ch;
	size_t most;
	bool alone;
	/* Of the laps: they may change. */
	uint32_t members, touch; /* that take part; bytes that each reads */

	uint64_t laps;	    /* of ring_laps() */
	uint64_t received;  /* messages, by the measuring process */
	unsigned int made;  /* members that run, with the measuring one */
	bool broken;	    /* a message was lost, or a member died */
	int cpu;	    /* of the other members */
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

/* ring_laps() - @n laps; CHANNEL_YIELD: give the CPU away @n times.  alone: the
 * calls and the reading of so many laps, and of a futex also the wait, which
 * finds the message there; a condition variable makes no system call when
 * nobody waits.  Return: 0 or bench_fail(). */
int ring_laps(struct bench *b, struct ring *r, uint64_t n);

/* ring_rest() - after ring_laps() by CHANNEL_YIELD: wait until the other
 * sleeps; nothing for other ways.  Return: 0 or bench_fail(). */
int ring_rest(struct bench *b, struct ring *r);

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

/* ring_close() - end and reap all members; one that is closed is fine. */
void ring_close(struct ring *r);

#endif
