/* SPDX-License-Identifier: MIT */
#ifndef SYNC_THREAD_H
#define SYNC_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A partner thread that sleeps until it is given work, does it on a CPU of
 * our choice until it is told to stop, and sleeps again.  It never spins but
 * in the work, so it may share a CPU with the measuring thread even under a
 * real-time policy, as long as the work blocks.  It inherits the scheduling
 * policy and takes no signals: those belong to the measuring thread.
 */
/* Why there is no partner, if it cannot be started for -EAGAIN. */
#define SYNC_NO_ROOM "no room for a partner thread (ulimit -u, pids.max)"

struct sync_thread;
typedef void sync_work_fn(struct sync_thread *t, void *arg);

struct sync_thread {
	pthread_t id;
	bool started;
	/* What to do; written by the measuring thread while this one sleeps. */
	sync_work_fn *work;
	void *arg;
	int cpu;
	int policy; /* for this work; negative: the inherited one */
	/* 1 while there is work, 0 when it is done: a futex for both sides. */
	_Alignas(64) _Atomic uint32_t busy;
	_Atomic uint32_t ready; /* 1: the work begins; 2: it could not */
	_Alignas(64) _Atomic uint32_t stop;
	_Atomic uint32_t quit;
	int error; /* of the pinning, negative errno */
};

/* sync_thread_start() - make the thread.  Return: 0 or -errno. */
int sync_thread_start(struct sync_thread *t);

/**
 * sync_thread_begin() - let the thread do @work(@arg) on CPU @cpu.
 * @policy: SCHED_BATCH and the like, or -1 for the inherited one.
 *
 * Returns when the thread is on that CPU and about to call @work.
 *
 * Return: 0 or -errno (the thread sleeps again).
 */
int sync_thread_begin(struct sync_thread *t, sync_work_fn *work, void *arg,
		      int cpu, int policy);

/* sync_thread_stopping() - for the work: whether it is to return. */
static inline bool sync_thread_stopping(struct sync_thread *t)
{
	return atomic_load_explicit(&t->stop, memory_order_relaxed);
}

/* sync_thread_end() - tell the work to return, and wait until it has.  Work
 * that blocks must be woken by the caller, after sync_thread_ask(). */
void sync_thread_ask(struct sync_thread *t);
void sync_thread_end(struct sync_thread *t);

/* sync_thread_finish() - end the thread; any state is fine. */
void sync_thread_finish(struct sync_thread *t);

#endif
