/* SPDX-License-Identifier: MIT */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Mailboxes of members that send each other messages of one size.  One process
 * opens them all; its children and threads have them from it, and keep them:
 * they are killed when it ends, so nobody waits for an end to be closed.
 */
enum channel_way {
	CHANNEL_PIPE,
	CHANNEL_EVENTFD,     /* messages of 8 bytes */
	CHANNEL_UNIX_STREAM, /* two members: one pair of sockets */
	CHANNEL_UNIX_DGRAM,
	CHANNEL_FUTEX,	   /* of 8 bytes, in shared memory */
	CHANNEL_CONDVAR,   /* the same */
	CHANNEL_SHM_FUTEX, /* a queue in shared memory */
	CHANNEL_POSIX_MQ,
	CHANNEL_SYSV_SEM, /* carries nothing */
	CHANNEL_YIELD,	  /* no message: each gives the CPU away */
	CHANNEL_WAYS	  /* how many there are */
};

#define CHANNEL_MEMBERS 96 /* at most */

/* What each message begins with; other bytes are a pattern. */
struct message {
	uint32_t number, word;
};

/*
 * A queue of messages in memory that two processes share: one writes, one
 * reads.  Who finds it full or empty sleeps in a futex and never spins, so
 * both sides may run on one CPU under any policy; who changes it makes the
 * system call only if the other side said that it sleeps.
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
	int (*fd)[2];	      /* of each mailbox: read end, write end; -1 */
	int semaphore;	      /* System V id, with one for each; -1 */
	unsigned char *boxes; /* shared */
	size_t stride;	      /* from one to the next */
};

/* channel_way_name() - "pipe", "unix_stream" ...; channel_way_of() - the first
 * whose name begins so. */
const char *channel_way_name(enum channel_way way);
enum channel_way channel_way_of(const char *name);

static inline struct mailbox *channel_box(const struct channel *ch,
					  unsigned int member)
{
	return (struct mailbox *)(void *)(ch->boxes + member * ch->stride);
}

/**
 * channel_open() - of @ch has way, threads, members and size (at least 8) been
 * set.
 * @name: for what must have a name for a moment, "/something".
 *
 * Nothing of it has a name afterwards, but a semaphore, which has an id.
 *
 * Return: 0 or -errno, then it is closed; -EMSGSIZE if messages of that size
 * cannot be sent.
 */
int channel_open(struct channel *ch, const char *name);

/* channel_close() - one that is closed is fine. */
void channel_close(struct channel *ch);

/* queue_bytes() - that the messages take, each of @size bytes: as much as a
 * pipe holds by default, 64 KiB; two of them at least. */
size_t queue_bytes(size_t size);

/* queue_put(), queue_get() - copy one message of @size bytes in or out,
 * sleeping if there is no room or no message. */
void queue_put(struct queue *q, const void *message, size_t size);
void queue_get(struct queue *q, void *message, size_t size);

#endif
