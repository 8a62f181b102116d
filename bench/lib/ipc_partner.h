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
 * CPU, and either answers each message with one (echo) or sends as many as it
 * is asked for (source).  If anything goes wrong it is killed, and the next
 * case gets a new one.
 */
enum ipc_duty { IPC_ECHO, IPC_SOURCE };

/* Memory that both processes have. */
struct ipc_shared {
	struct ipc_rings rings;
	_Alignas(64) _Atomic uint32_t stop;
	_Alignas(64) _Atomic uint32_t wanted; /* of a source, modulo 2^32 */
};

/* What the partner says of itself. */
struct ipc_report {
	int error;		 /* negative errno */
	int cpu;		 /* where it runs */
	uint64_t sent, received; /* messages */
};

struct ipc_partner {
	pid_t pid;   /* 0: none */
	int control; /* valid while there is a partner */
	struct ipc_shared *shared;
	struct ipc_watch watch;
	struct bench *b;
	unsigned char *buf; /* for messages, each process has its own */
};

/* ipc_partner_open() - memory and watch; no process yet.  0 or -errno. */
int ipc_partner_open(struct ipc_partner *p, struct bench *b);

/* ipc_partner_need() - make sure that there is a process; call it before the
 * channel is opened, so that it has no ends but those that it is given. */
int ipc_partner_need(struct ipc_partner *p);

/**
 * ipc_partner_begin() - let it serve @ends from CPU @cpu.
 *
 * @ends are closed here once they have been handed over.
 *
 * Return: 0 or -errno; then there is no partner any more.
 */
int ipc_partner_begin(struct ipc_partner *p, struct ipc_ends *ends, int cpu,
		      enum ipc_duty duty);

/* ipc_partner_want() - ask a source for @messages more. */
void ipc_partner_want(struct ipc_partner *p, uint32_t messages);

/**
 * ipc_partner_end() - end the service.
 * @ch: our side of an echo's channel, NULL for a source.
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
