/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "switch_link.h"

/* The loops are compiled once for each way, so that which it is was decided
 * before the interval began. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

const char *switch_way_name(enum switch_way way)
{
	static const char *const names[] = {
		[SWITCH_PIPE] = "pipe",	      [SWITCH_EVENTFD] = "eventfd",
		[SWITCH_UNIX] = "unix",	      [SWITCH_FUTEX] = "futex",
		[SWITCH_CONDVAR] = "condvar", [SWITCH_YIELD] = "sched_yield",
	};

	return names[way];
}

void switch_account_read(struct switch_account *a)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	a->voluntary = u.ru_nvcsw;
	a->involuntary = u.ru_nivcsw;
	a->fetched = u.ru_majflt;
	a->cpu = sched_getcpu();
}

ALWAYS_INLINE long futex(uint32_t *word, int op, bool private, uint32_t value)
{
	return syscall(SYS_futex, word, private ? op | FUTEX_PRIVATE_FLAG : op,
		       value, NULL, NULL, 0);
}

ALWAYS_INLINE int write_all(int fd, const void *p, size_t n)
{
	return write(fd, p, n) == (ssize_t)n ? 0 : -EIO;
}

/* Signals come to both sides (Ctrl-C): that is no message. */
ALWAYS_INLINE int read_all(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)n ? 0 : -EIO;
}

ALWAYS_INLINE int send_in_box(struct switch_box *box, enum switch_way way,
			      bool private, uint32_t message)
{
	if (way == SWITCH_FUTEX) {
		__atomic_store_n(&box->word, message, __ATOMIC_RELEASE);
		return futex(&box->word, FUTEX_WAKE, private, 1) < 0 ? -EIO : 0;
	}
	pthread_mutex_lock(&box->lock);
	box->word = message;
	pthread_cond_signal(&box->filled);
	return -pthread_mutex_unlock(&box->lock);
}

ALWAYS_INLINE int receive_in_box(struct switch_box *box, enum switch_way way,
				 bool private)
{
	uint32_t message;

	if (way == SWITCH_FUTEX) {
		while (!(message =
				 __atomic_load_n(&box->word, __ATOMIC_ACQUIRE)))
			futex(&box->word, FUTEX_WAIT, private, 0);
		__atomic_store_n(&box->word, 0, __ATOMIC_RELAXED);
		return (int)message;
	}
	pthread_mutex_lock(&box->lock);
	while (!box->word)
		pthread_cond_wait(&box->filled, &box->lock);
	message = box->word;
	box->word = 0;
	pthread_mutex_unlock(&box->lock);
	return (int)message;
}

ALWAYS_INLINE int post(const struct switch_link *l, enum switch_way way,
		       enum switch_to to, enum switch_message message)
{
	const unsigned char byte = (unsigned char)message;
	const uint64_t count = (uint64_t)message;

	if (way == SWITCH_EVENTFD)
		return write_all(l->fd[to][1], &count, sizeof(count));
	if (way == SWITCH_PIPE || way == SWITCH_UNIX)
		return write_all(l->fd[to][1], &byte, 1);
	return send_in_box(&l->shared->box[to], way, l->threads,
			   (uint32_t)message);
}

/* Return: enum switch_message or -errno. */
ALWAYS_INLINE int fetch(const struct switch_link *l, enum switch_way way,
			enum switch_to to)
{
	unsigned char byte = 0;
	uint64_t count = 0;
	int err;

	if (way == SWITCH_EVENTFD) {
		err = read_all(l->fd[to][0], &count, sizeof(count));
		return err ? err : (int)count;
	}
	if (way == SWITCH_PIPE || way == SWITCH_UNIX) {
		err = read_all(l->fd[to][0], &byte, 1);
		return err ? err : byte;
	}
	return receive_in_box(&l->shared->box[to], way, l->threads);
}

ALWAYS_INLINE int trips(const struct switch_link *l, enum switch_way way,
			uint64_t iters)
{
	int bad = 0;

	for (uint64_t i = 0; i < iters; i++) {
		bad |= post(l, way, SWITCH_TO_FAR, SWITCH_PING);
		bad |= fetch(l, way, SWITCH_TO_NEAR) != SWITCH_PING;
	}
	return bad ? -EIO : 0;
}

ALWAYS_INLINE int alone(const struct switch_link *l, enum switch_way way,
			uint64_t iters)
{
	int bad = 0;

	for (uint64_t i = 0; i < iters; i++) {
		for (int to = 0; to < 2; to++) {
			bad |= post(l, way, to, SWITCH_PING);
			/* The call that a waiter makes; it finds a message. */
			if (way == SWITCH_FUTEX)
				bad |= futex(&l->shared->box[to].word,
					     FUTEX_WAIT, l->threads, 0) == 0;
			bad |= fetch(l, way, to) != SWITCH_PING;
		}
	}
	return bad ? -EIO : 0;
}

ALWAYS_INLINE void serve(const struct switch_link *l, enum switch_way way)
{
	struct switch_account *mine = &l->shared->far_side;
	int message;

	for (;;) {
		message = fetch(l, way, SWITCH_TO_FAR);
		if (message != SWITCH_PING) {
			if (message != SWITCH_REPORT)
				break;
			switch_account_read(mine);
		}
		if (post(l, way, SWITCH_TO_NEAR, SWITCH_PING))
			break;
	}
	if (message == SWITCH_STOP)
		post(l, way, SWITCH_TO_NEAR, SWITCH_PING);
}

/* The far side stays parked between batches, or it would take half of the CPU
 * from the harness. */
static void serve_yield(const struct switch_link *l)
{
	struct switch_shared *s = l->shared;

	for (;;) {
		const uint32_t gate =
			__atomic_load_n(&s->gate, __ATOMIC_ACQUIRE);

		if (gate == 1) {
			sched_yield();
			continue;
		}
		if (gate)
			return;
		switch_account_read(&s->far_side);
		__atomic_store_n(&s->parked, 1, __ATOMIC_RELEASE);
		futex(&s->gate, FUTEX_WAIT, l->threads, 0);
		__atomic_store_n(&s->parked, 0, __ATOMIC_RELEASE);
	}
}

static void set_gate(const struct switch_link *l, uint32_t gate)
{
	__atomic_store_n(&l->shared->gate, gate, __ATOMIC_RELEASE);
	futex(&l->shared->gate, FUTEX_WAKE, l->threads, 1);
}

static int trip_yield(const struct switch_link *l, uint64_t iters)
{
	set_gate(l, 1);
	for (uint64_t i = 0; i < iters; i++)
		sched_yield();
	__atomic_store_n(&l->shared->gate, 0, __ATOMIC_RELEASE);
	return 0;
}

/* A round trip has a call on each side. */
static int alone_yield(uint64_t iters)
{
	for (uint64_t i = 0; i < 2 * iters; i++)
		sched_yield();
	return 0;
}

static int say_yield(const struct switch_link *l, enum switch_message message)
{
	if (message == SWITCH_STOP) {
		set_gate(l, SWITCH_STOP);
		return 0;
	}
	while (!__atomic_load_n(&l->shared->parked, __ATOMIC_ACQUIRE))
		usleep(50);
	return 0;
}

#define FOR_EACH_WAY(way, call)              \
	switch (way) {                       \
	case SWITCH_PIPE:                    \
		return call(SWITCH_PIPE);    \
	case SWITCH_EVENTFD:                 \
		return call(SWITCH_EVENTFD); \
	case SWITCH_UNIX:                    \
		return call(SWITCH_UNIX);    \
	case SWITCH_FUTEX:                   \
		return call(SWITCH_FUTEX);   \
	default:                             \
		return call(SWITCH_CONDVAR); \
	}

int switch_link_trip(const struct switch_link *l, uint64_t iters)
{
	if (l->way == SWITCH_YIELD)
		return trip_yield(l, iters);
#define TRIPS(way) trips(l, way, iters)
	FOR_EACH_WAY(l->way, TRIPS)
}

int switch_link_alone(const struct switch_link *l, uint64_t iters)
{
	if (l->way == SWITCH_YIELD)
		return alone_yield(iters);
#define ALONE(way) alone(l, way, iters)
	FOR_EACH_WAY(l->way, ALONE)
}

void switch_link_serve(const struct switch_link *l)
{
	if (l->way == SWITCH_YIELD) {
		serve_yield(l);
		return;
	}
#define SERVE(way) serve(l, way)
	FOR_EACH_WAY(l->way, SERVE)
}

int switch_link_say(const struct switch_link *l, enum switch_message message)
{
	int err;

	if (l->way == SWITCH_YIELD)
		return say_yield(l, message);
	err = post(l, l->way, SWITCH_TO_FAR, message);
	if (!err && fetch(l, l->way, SWITCH_TO_NEAR) != SWITCH_PING)
		err = -EIO;
	return err;
}

static int open_box(struct switch_box *box, bool threads)
{
	const int shared =
		threads ? PTHREAD_PROCESS_PRIVATE : PTHREAD_PROCESS_SHARED;
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, shared);
	pthread_mutex_init(&box->lock, &mutex);
	pthread_mutexattr_destroy(&mutex);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, shared);
	pthread_cond_init(&box->filled, &cond);
	pthread_condattr_destroy(&cond);
	return 0;
}

static int open_fds(struct switch_link *l)
{
	int pair[2];

	switch (l->way) {
	case SWITCH_PIPE:
		return pipe2(l->fd[0], O_CLOEXEC) || pipe2(l->fd[1], O_CLOEXEC);
	case SWITCH_EVENTFD:
		for (int to = 0; to < 2; to++) {
			l->fd[to][0] = eventfd(0, EFD_CLOEXEC);
			if (l->fd[to][0] < 0)
				return -1;
			l->fd[to][1] = dup(l->fd[to][0]);
		}
		return l->fd[0][1] < 0 || l->fd[1][1] < 0;
	case SWITCH_UNIX:
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
			return -1;
		l->fd[SWITCH_TO_FAR][1] = pair[0];
		l->fd[SWITCH_TO_FAR][0] = pair[1];
		l->fd[SWITCH_TO_NEAR][1] = dup(pair[1]);
		l->fd[SWITCH_TO_NEAR][0] = dup(pair[0]);
		return l->fd[SWITCH_TO_NEAR][0] < 0 ||
		       l->fd[SWITCH_TO_NEAR][1] < 0;
	default:
		return 0;
	}
}

int switch_link_open(struct switch_link *l, enum switch_way way, bool threads)
{
	void *p;

	*l = (struct switch_link) { .way = way,
				    .threads = threads,
				    .fd = { { -1, -1 }, { -1, -1 } } };
	p = mmap(NULL, sizeof(*l->shared), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	l->shared = p;
	for (int to = 0; to < 2; to++)
		open_box(&l->shared->box[to], threads);
	return open_fds(l) ? -errno : 0;
}

void switch_link_close(struct switch_link *l)
{
	if (!l->shared)
		return; /* it was never opened: its fds are not ours */
	for (int to = 0; to < 2; to++)
		for (int end = 0; end < 2; end++)
			if (l->fd[to][end] >= 0)
				close(l->fd[to][end]);
	/* Not destroyed: a partner that was killed may have held them. */
	munmap(l->shared, sizeof(*l->shared));
	l->shared = NULL;
}
