/* SPDX-License-Identifier: MIT */
#ifndef IPC_PARTNER_H
#define IPC_PARTNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ipc_channel.h"
#include "partner.h"

/*
 * A process at the other end of a channel: it answers each message with one
 * (echo), sends one after the other until it is to stop (source), or receives
 * them all (sink).
 */
enum ipc_duty { IPC_ECHO, IPC_SOURCE, IPC_SINK };

/* Where a flow was: @bytes received at @ticks of the sink's clock. */
struct ipc_stamp {
	uint64_t ticks, bytes;
};

#define IPC_STAMPS  1024
#define IPC_SPAN_NS 2e6 /* from one stamp to the next, at least */

/* The greatest message: two fit into a ring. */
#define IPC_MOST_BYTES (IPC_RING_MAX_BYTES / 2)

/* What a partner says of itself. */
struct ipc_report {
	int cpu;		 /* where it runs */
	uint64_t sent, received; /* messages */
	uint64_t bytes;		 /* received */
	uint64_t checked, right; /* bytes of which the pattern was looked at */
};

/* Memory of all processes, of partner_share(). */
struct ipc_shared {
	struct ipc_rings rings;
	_Alignas(64) _Atomic uint32_t stop;
	uint32_t wanted;	/* stamps of a sink; IPC_STAMPS at most */
	_Atomic uint32_t there; /* it has made them all */
	struct ipc_stamp stamp[IPC_STAMPS];
	struct ipc_report report[IPC_SINK + 1]; /* by duty, at its end */
};

struct ipc_partner {
	struct ipc_shared *shared; /* with the one that it talks with */
	unsigned char *buf; /* IPC_MOST_BYTES, for messages; not shared */
	/* Set while there is a partner. */
	struct partner partner;
	struct ipc_ends ends;
	enum ipc_duty duty;
	const struct timer *timer;
};

/**
 * ipc_partner_start() - let a process serve @ends from CPU @cpu; a source
 * before its sink.
 *
 * @ends are closed here: they are the partner's.  p->buf has the pattern of
 * messages afterwards.
 *
 * Return: as of partner_start().
 */
int ipc_partner_start(struct bench *b, struct ipc_partner *p,
		      struct ipc_ends *ends, int cpu, enum ipc_duty duty);

/**
 * ipc_partner_stamps() - wait until a sink has made as many stamps as were
 * wanted, the first when it begins.  Nobody wakes up meanwhile: on the sink's
 * CPU that would change the pace of the flow for some ms.
 *
 * Return: as of partner_check().
 */
int ipc_partner_stamps(struct ipc_shared *shared);

/**
 * ipc_partner_end() - end the service: a source before its sink, which then
 * receives all that is still to come.
 * @ch: our side of an echo's channel, else NULL.
 *
 * Return: 0 or -errno, as of ipc_send() and partner_check(); there is no
 * partner any more.
 */
int ipc_partner_end(struct ipc_partner *p, struct ipc_channel *ch);

#endif
