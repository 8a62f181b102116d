/* SPDX-License-Identifier: MIT */
#ifndef IPC_CHANNEL_H
#define IPC_CHANNEL_H

#include <mqueue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc_ring.h"

/*
 * Two-way channels between two processes, all used alike: send one message of
 * `size` bytes, receive one.  The first eight bytes of each message are its
 * number, which the receiver checks: a message lost, doubled or cut is seen.
 * The others are a pattern, which costs time to check.
 *
 * One process opens the channel, which gives the ends of both sides; the other,
 * its child, has its ends from it.
 */
enum ipc_via {
	IPC_PIPE,
	IPC_UNIX_STREAM,
	IPC_UNIX_DGRAM,
	IPC_EVENTFD,
	IPC_SHM_FUTEX,
	IPC_POSIX_MQ,
	IPC_SYSV_SEM,
	IPC_VIAS /* how many there are */
};

/* Both rings of IPC_SHM_FUTEX, in memory that both processes have. */
struct ipc_rings {
	struct ipc_ring ring[2];
};

/* What one side needs to talk. */
struct ipc_ends {
	enum ipc_via via;
	uint64_t size;
	int side;      /* 0 opened the channel, 1 attached to it */
	int rx, tx;    /* descriptors; -1 where none are used */
	int semaphore; /* System V id; -1 */
};

struct ipc_channel {
	struct ipc_ends ends;
	struct ipc_rings *rings;
	unsigned char *buf;	 /* a message of the greatest size */
	uint64_t sent, received; /* messages */
	uint64_t bytes;		 /* received */
	uint64_t checked, right; /* of them, by ipc_receive_checked() */
	bool last;  /* the next message that is sent says that none follows */
	bool ended; /* such a message was received */
};

/* Names as in the results: "pipe", "unix_stream" ... */
const char *ipc_via_name(enum ipc_via via);

/**
 * ipc_open() - make a channel for messages of @size bytes (at least 8).
 * @name: for what must have a name for a moment, "/something".
 * @mine, @theirs: get the ends.
 *
 * Nothing of it has a name afterwards, but a semaphore, which has an id.
 *
 * Return: 0 or -errno; -EMSGSIZE if messages of that size cannot be sent.
 */
int ipc_open(enum ipc_via via, uint64_t size, const char *name,
	     struct ipc_ends *mine, struct ipc_ends *theirs);

/* ipc_close() - close the descriptors; side 0 removes the semaphore.  Any
 * state is fine. */
void ipc_close(struct ipc_ends *ends);

/* ipc_fill() - write the pattern of messages into @buf. */
void ipc_fill(unsigned char *buf, size_t bytes);

/* ipc_attach() - be ready to talk through @ends: all counts are 0. */
void ipc_attach(struct ipc_channel *ch, const struct ipc_ends *ends);

/**
 * ipc_send(), ipc_receive() - one message; they block.
 *
 * Return: 0 or -errno: -EBADMSG if not the message that was due came, -EPIPE
 * if the other side has closed, or as of partner_check().
 */
int ipc_send(struct ipc_channel *ch);
int ipc_receive(struct ipc_channel *ch);

/* ipc_receive_checked() - the same into a buffer that was cleared; counts how
 * many of the bytes are those of the pattern. */
int ipc_receive_checked(struct ipc_channel *ch);

#endif
