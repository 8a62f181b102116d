/* SPDX-License-Identifier: MIT */
#ifndef PARTNER_H
#define PARTNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"

/*
 * Threads and processes that take part in a measurement.  A benchmark starts
 * one in enter() and stops it in leave().  A process gets a copy of all memory
 * but that of partner_share().  It ends when the measuring process ends; a
 * thread takes no signals.
 *
 * While one lives, a signal to the measuring thread looks after it every
 * PARTNER_WATCH_MS.  Where a process has died or has ended with an error, or
 * nothing has moved for partner_patience_ms (no batch or event began, no two
 * met), this process run ends with a message: so waits need no end of their
 * own.  Blocked calls go on after the signal, but for those that never do
 * (poll(), semop(), sigsuspend(): EINTR).
 */
#define PARTNER_WATCH_MS 250

enum partner_kind { PARTNER_THREAD, PARTNER_PROCESS };

struct partner;

/* Runs in the partner.  Its return value is that of partner_finish(). */
typedef int partner_fn(struct partner *p, void *arg);

/* Memory of both sides. */
struct partner_page {
	_Alignas(64) _Atomic uint32_t stop;
	_Alignas(64) _Atomic uint32_t met[2]; /* how often each side has come */
	_Atomic uint32_t done;
	_Atomic uint64_t answers; /* its work may count them */
	int result;
	char name[48]; /* in /proc */
};

/* All zero: there is none. */
struct partner {
	struct partner_page *page;
	pid_t pid; /* 0: a thread */
	pthread_t thread;
	partner_fn *work;
	void *arg;
	int cpu;
	uint64_t asked;	 /* answers, where it is to give some */
	clockid_t clock; /* of its run time; 0: unknown */
};

/**
 * partner_start() - make a partner that runs @work(@arg) on CPU @cpu.
 * @p: must live as long as the partner.
 *
 * Returns when it is pinned and about to call @work.
 *
 * Return: 0, bench_fail(), or bench_skip() with the limit that forbids one more
 * (ulimit -u, pids.max).
 */
int partner_start(struct bench *b, struct partner *p, enum partner_kind kind,
		  int cpu, partner_fn *work, void *arg);

/* partner_settle() - wait until it sleeps in its work: then what its start has
 * used of its CPU delays no wake-up of it.  Return: as partner_start(). */
int partner_settle(struct bench *b, const struct partner *p);

/* partner_leave() - in leave(), or in its place where the state begins with the
 * partner: stop it, as partner_stop().  Where the kernel says that it ran last
 * is the fact partner_cpu (none without /proc); that it has given as many
 * answers as were asked for, if any were, is evidence. */
bench_leave_fn partner_leave;

/* partner_stop() - end it whatever it does: a process is killed, a thread's
 * blocking calls return EINTR until its work returns.  No partner is fine. */
void partner_stop(struct partner *p);

/* partner_stop_all() - @n of them: all are told before the first has ended, for
 * the end of one may end the work of another. */
void partner_stop_all(struct partner *p, unsigned int n);

/* partner_stopping() - for the work of a thread: whether it is to return. */
static inline bool partner_stopping(const struct partner *p)
{
	return atomic_load_explicit(&p->page->stop, memory_order_relaxed);
}

/**
 * partner_defer() - for the work: does not preempt who wakes it up from here
 * on, so that the call that does so ends before this partner runs where both
 * are on one CPU: SCHED_BATCH, which programs that it becomes inherit.  Under a
 * real-time policy an equal does not preempt as it is.
 *
 * Return: 0 or -errno.
 */
int partner_defer(void);

/* partner_waited() - for samples that are taken before their events: how long,
 * since the call before, one who takes part waited for a CPU that none of them
 * had, ns (bench_waited()). */
double partner_waited(void);

/* partner_finish() - wait until its work has returned.  There is no partner
 * afterwards.  Return: what the work gave; -ESRCH: its process died. */
int partner_finish(struct partner *p);

/* partner_meet() - a barrier of both sides, each of which calls it; it sleeps.
 * Return: 0; -errno of a partner that has ended instead (-ESRCH: without
 * error); in the partner -ECANCELED if it is to return. */
int partner_meet(struct partner *p);

/* partner_sleep() - a work: sleeps until it is to return. */
partner_fn partner_sleep;

/* partner_goes_on() - wait until a partner whose work never sleeps, and counts
 * what it does in *@count, has done something: its CPU is not another's. */
void partner_goes_on(const _Atomic uint64_t *count);

/* So long because the CPU may be taken away for a while.  120000; only tests
 * set it. */
extern int64_t partner_patience_ms;

/* partner_watch() - let the signal come from here on, also while there is no
 * partner, for one on another machine; it interrupts blocked calls (EINTR).
 * Return: 0 or bench_fail(). */
int partner_watch(struct bench *b);

/* partner_share() - zeroed memory that processes started later share; NULL: no
 * memory.  partner_unshare() - NULL is fine. */
void *partner_share(size_t bytes);
void partner_unshare(void *memory, size_t bytes);

/* partner_refused() - @what could not be made for @err.  Return: bench_fail(),
 * which skips where the kernel lacks it; for EAGAIN bench_skip() with the
 * limits that may have been reached. */
int partner_refused(struct bench *b, int err, const char *what);

#endif
