/* SPDX-License-Identifier: MIT */
#include "sync_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "bench.h"
#include "sync_futex.h"

/* Small: nothing of size is on it, and --invocations makes many. */
#define STACK_BYTES 65536u

static void wait_while(_Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load(word) == value)
		futex_wait(word, value, true);
}

static void set_and_wake(_Atomic uint32_t *word, uint32_t value)
{
	atomic_store(word, value);
	futex_wake(word, 1, true);
}

/* Move to the CPU and the policy of the work. */
static int settle(struct sync_thread *t)
{
	const struct sched_param none = { 0 };
	const int err = bench_pin(t->cpu);

	if (err)
		return err;
	if (t->policy >= 0 && sched_setscheduler(0, t->policy, &none))
		return -errno;
	return 0;
}

static void *loop(void *arg)
{
	struct sync_thread *t = arg;
	const int policy = sched_getscheduler(0);
	struct sched_param param;

	sched_getparam(0, &param);
	for (;;) {
		wait_while(&t->busy, 0);
		if (atomic_load(&t->quit))
			return NULL;
		t->error = settle(t);
		set_and_wake(&t->ready, t->error ? 2 : 1);
		if (!t->error)
			t->work(t, t->arg);
		if (t->policy >= 0)
			sched_setscheduler(0, policy, &param);
		set_and_wake(&t->busy, 0);
	}
}

int sync_thread_start(struct sync_thread *t)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int err;

	atomic_store(&t->busy, 0);
	atomic_store(&t->quit, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* The mask is inherited: blocked here, blocked there from the start. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&t->id, &attr, loop, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	t->started = !err;
	return -err;
}

int sync_thread_begin(struct sync_thread *t, sync_work_fn *work, void *arg,
		      int cpu, int policy)
{
	t->work = work;
	t->arg = arg;
	t->cpu = cpu;
	t->policy = policy;
	atomic_store(&t->stop, 0);
	atomic_store(&t->ready, 0);
	set_and_wake(&t->busy, 1);
	wait_while(&t->ready, 0);
	if (atomic_load(&t->ready) == 1)
		return 0;
	wait_while(&t->busy, 1);
	return t->error;
}

void sync_thread_ask(struct sync_thread *t)
{
	atomic_store(&t->stop, 1);
}

void sync_thread_end(struct sync_thread *t)
{
	if (!t->started)
		return;
	sync_thread_ask(t);
	wait_while(&t->busy, 1);
}

void sync_thread_finish(struct sync_thread *t)
{
	if (!t->started)
		return;
	sync_thread_end(t);
	atomic_store(&t->quit, 1);
	set_and_wake(&t->busy, 1);
	pthread_join(t->id, NULL);
	t->started = false;
}
