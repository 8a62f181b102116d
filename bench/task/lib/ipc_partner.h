/* SPDX-License-Identifier: MIT */
#ifndef IPC_PARTNER_H
#define IPC_PARTNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"
#include "ipc_channel.h"
#include "ipc_watch.h"

/*
 * A process at the other end of a channel.  It is made when first needed and
 * serves one case after another: it gets its ends of the channel, goes to its
 * CPU, and answers each message with one (echo), sends one after the other
 * until it is to stop (source), or receives them all (sink).  If anything goes
 * wrong it is killed, and the next case gets a new one.
 */
enum ipc_duty { IPC_ECHO, IPC_SOURCE, IPC_SINK };

/* Where a flow was: @bytes received at @ticks of the sink's clock. */
struct ipc_stamp {
	uint64_t ticks, bytes;
};

#define IPC_STAMPS  1024
#define IPC_SPAN_NS 2e6 /* from one stamp to the next, at least */

/* Memory that both processes have. */
struct ipc_shared {
	struct ipc_rings rings;
	_Alignas(64) _Atomic uint32_t stop;
	uint32_t wanted;	/* stamps of a sink; IPC_STAMPS at most */
	_Atomic uint32_t there; /* it has made them all */
	struct ipc_stamp stamp[IPC_STAMPS];
};

/* What the partner says of itself. */
struct ipc_report {
	int error;		 /* negative errno */
	int cpu;		 /* where it runs */
	uint64_t sent, received; /* messages */
	uint64_t bytes;		 /* received */
	uint64_t checked, right; /* bytes of which the pattern was looked at */
};

struct ipc_partner {
	pid_t pid;   /* 0: none */
	int control; /* valid while there is a partner */
	struct ipc_shared *shared;
	bool borrowed; /* that is of another partner */
	struct ipc_watch watch;
	struct bench *b;
	unsigned char *buf; /* for messages, each process has its own */
};

/* ipc_partner_open() - memory and watch; no process yet.  @with: the partner
 * that this one is to talk with, or NULL.  Return: 0 or -errno. */
int ipc_partner_open(struct ipc_partner *p, struct bench *b,
		     const struct ipc_partner *with);

/* ipc_partner_need() - make sure that there is a process; call it before the
 * channel is opened, so that it has no ends but those that it is given. */
int ipc_partner_need(struct ipc_partner *p);

/**
 * ipc_partner_begin() - let it serve @ends from CPU @cpu; a source before its
 * sink.
 *
 * @ends are closed here once they have been handed over.
 *
 * Return: 0 or -errno; then there is no partner any more.
 */
int ipc_partner_begin(struct ipc_partner *p, struct ipc_ends *ends, int cpu,
		      enum ipc_duty duty);

/**
 * ipc_partner_stamps() - wait until a sink has made as many stamps as were
 * wanted, the first when it begins.  Nobody wakes up meanwhile: on the sink's
 * CPU that would change the pace of the flow for some ms.
 *
 * Return: 0, or -EINTR.
 */
int ipc_partner_stamps(const struct ipc_partner *p);

/**
 * ipc_partner_end() - end the service: a source before its sink, which then
 * receives all that is still to come.
 * @ch: our side of an echo's channel, else NULL.
 * @report: gets what the partner has done.
 *
 * Return: 0, or -errno; then there is no partner any more.
 */
int ipc_partner_end(struct ipc_partner *p, struct ipc_channel *ch,
		    struct ipc_report *report);

/* ipc_partner_drop() - kill it, whatever it does. */
void ipc_partner_drop(struct ipc_partner *p);

/* ipc_partner_close() - free everything; any state is fine. */
void ipc_partner_close(struct ipc_partner *p);

#endif
