/* SPDX-License-Identifier: MIT */
#ifndef IPC_WATCH_H
#define IPC_WATCH_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "bench.h"

/*
 * A watch over a partner process with which the benchmark talks by blocking
 * calls.  While it runs, a signal comes every IPC_WATCH_MS and makes a blocked
 * call return EINTR, so that a partner that died, or a user that wants to
 * stop, is seen however unlucky the moment was.  It is started afresh for
 * each visit to a case; visits last some ms, so that it fires only when
 * something hangs.
 */
#define IPC_WATCH_MS 250

/* Why there is no partner, if fork() says EAGAIN. */
#define IPC_NO_ROOM "no room for a partner process (ulimit -u, pids.max)"

/* A visit that was interrupted so often has stopped moving (30 s: the partner's
 * CPU may be away for a while, and its death is seen at once anyway). */
#define IPC_WATCH_PATIENCE 120

struct ipc_watch {
	timer_t timer;
	bool made;
	unsigned int checks; /* since it was started */
};

/* ipc_watch_open() - make it (not running).  Return: 0 or -errno. */
int ipc_watch_open(struct ipc_watch *w);
void ipc_watch_start(struct ipc_watch *w);
void ipc_watch_stop(struct ipc_watch *w);
/* ipc_watch_close() - any state is fine. */
void ipc_watch_close(struct ipc_watch *w);

/**
 * ipc_watch_check() - after EINTR: whether to go on waiting for @partner.
 *
 * Return: 0, -ECANCELED (the user wants to stop), or -ESRCH (the partner is
 * dead).
 */
int ipc_watch_check(const struct bench *b, pid_t partner);

/* ipc_watch_again() - the same, but -ETIMEDOUT if it was asked too often since
 * the watch was started: a partner that lives and does not move. */
int ipc_watch_again(struct ipc_watch *w, const struct bench *b, pid_t partner);

/* ipc_partner_kill() - kill and reap *@partner, if there is one. */
void ipc_partner_kill(pid_t *partner);

/* ipc_partner_settle() - for a partner just forked: leave the terminal's
 * signals to the parent, go to CPU @cpu.  Return: 0 or -errno. */
int ipc_partner_settle(int cpu);

#endif
