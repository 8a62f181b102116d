/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guard.h"
#include "switch_shot.h"
#include "sysfile.h"

#define NAP_US 20

int switch_shot_open(struct bench *b, struct switch_shot *s)
{
	void *p = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return bench_fail(b, errno, "map a shared page");
	*s = (struct switch_shot) { .method = bench_timer(b)->method,
				    .shared = p,
				    .lock = PTHREAD_MUTEX_INITIALIZER,
				    .start = PTHREAD_COND_INITIALIZER };
	if (pipe2(s->fd, O_CLOEXEC))
		return partner_refused(b, errno, "make a pipe");
	s->has_pipe = true;
	return 0;
}

static void count(long *voluntary, long *all)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	if (voluntary)
		*voluntary = u.ru_nvcsw;
	if (all)
		*all = u.ru_nvcsw + u.ru_nivcsw;
}

static void announce(struct switch_shot_shared *s)
{
	s->cpu = sched_getcpu();
	__atomic_store_n(&s->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

static int child(struct partner *p, void *arg)
{
	struct switch_shot *s = arg;
	char byte;
	ssize_t n;

	announce(s->shared);
	n = read(s->fd[0], &byte, 1);
	s->shared->end = timer_end(s->method);
	count(&s->shared->voluntary, NULL);
	return n == 1 ? 0 : -EIO;
}

static int peer(struct partner *p, void *arg)
{
	struct switch_shot *s = arg;

	pthread_mutex_lock(&s->lock);
	announce(s->shared);
	while (!s->go)
		pthread_cond_wait(&s->start, &s->lock);
	s->shared->end = timer_end(s->method);
	pthread_mutex_unlock(&s->lock);
	count(&s->shared->voluntary, NULL);
	return 0;
}

/* Its state as the kernel says it: the letter behind the name in its stat.
 * Return: 1 asleep, 0 not, or -errno. */
static int asleep(pid_t pid, pid_t tid)
{
	char stat[512];
	const long err =
		sysfile_stat(stat, sizeof(stat), "/proc/%d/task/%d/stat",
			     (int)pid, (int)tid);
	const char *state = field_of_stat(stat, 3);

	return err < 0 ? (int)err : state && *state == 'S';
}

static int wait_until_asleep(struct bench *b, struct switch_shot *s)
{
	const pid_t pid = s->partner.pid ? s->partner.pid : getpid();
	int err, state;

	if (!guard_sees_processes())
		return bench_skip(b, "needs /proc, and of this PID namespace, "
				     "to see the partner asleep");
	while (!(err = partner_check())) {
		const pid_t tid =
			__atomic_load_n(&s->shared->tid, __ATOMIC_ACQUIRE);

		state = tid ? asleep(pid, tid) : 0;
		if (state > 0)
			return 0;
		if (state == -EMFILE || state == -ENFILE)
			return bench_skip(b, "see the partner asleep: %s",
					  strerror(-state));
		usleep(NAP_US);
	}
	return partner_failed(b, err);
}

int switch_shot_ready(struct bench *b, struct switch_shot *s, bool thread)
{
	int err;

	*s->shared = (struct switch_shot_shared) { 0 };
	s->go = false;
	err = partner_start(b, &s->partner,
			    thread ? PARTNER_THREAD : PARTNER_PROCESS,
			    bench_cpu(b), thread ? peer : child, s);
	if (!err)
		err = wait_until_asleep(b, s);
	count(NULL, &s->switches);
	return err;
}

int switch_shot_fire(struct bench *b, struct switch_shot *s, uint64_t *ticks)
{
	uint64_t begin;
	int bad;

	if (!s->partner.pid) {
		/* Set before the clock is read: what is priced is the wake-up
		 * and the switch, and the lock is free when it wakes. */
		pthread_mutex_lock(&s->lock);
		s->go = true;
		pthread_mutex_unlock(&s->lock);
		begin = timer_begin(s->method);
		pthread_cond_signal(&s->start);
		bad = partner_finish(&s->partner);
	} else {
		begin = timer_begin(s->method);
		bad = write(s->fd[1], "", 1) != 1;
		bad |= partner_finish(&s->partner);
	}
	if (bad || !s->shared->end)
		return bench_fail(b, 0, "the partner left no time");
	*ticks = s->shared->end - begin;
	return 0;
}

bool switch_shot_switched(const struct switch_shot *s)
{
	long now;

	count(NULL, &now);
	return now > s->switches && s->shared->voluntary > 0;
}

void switch_shot_end(struct switch_shot *s)
{
	if (s->partner.page && !s->partner.pid) {
		pthread_mutex_lock(&s->lock);
		s->go = true;
		pthread_cond_signal(&s->start);
		pthread_mutex_unlock(&s->lock);
	}
	partner_stop(&s->partner);
}

void switch_shot_close(struct switch_shot *s)
{
	if (!s->shared)
		return;
	switch_shot_end(s);
	if (s->has_pipe) {
		close(s->fd[0]);
		close(s->fd[1]);
	}
	munmap(s->shared, sizeof(*s->shared));
	*s = (struct switch_shot) { 0 };
}
