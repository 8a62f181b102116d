/* SPDX-License-Identifier: MIT */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync_futex.h"

/* A queue of ten messages, the kernel's default; fewer if they would take more
 * than half of what a user may have in queues (RLIMIT_MSGQUEUE, 800 KiB). */
#define MQ_MESSAGES 10
#define MQ_BYTES    409600u

#define NAME(way, name, ...) name,
static const char *const names[] = { CHANNELS(NAME, 0) };

const char *channel_way_name(enum channel_way way)
{
	return names[way];
}

enum channel_way channel_way_of(const char *name)
{
	enum channel_way way = 0;

	while (way < CHANNEL_WAYS &&
	       strncmp(names[way], name, strlen(name)) != 0)
		way++;
	return way;
}

/* The second of two members has the other direction of the first one's. */
static int open_sockets(struct channel *ch, unsigned int i, int type)
{
	const int *first = ch->port[0].fd;
	int *fd = ch->port[i].fd, room = 0;
	socklen_t len = sizeof(room);

	if (i == 1 && ch->members == 2) {
		fd[0] = dup(first[1]);
		fd[1] = dup(first[0]);
		return fd[0] < 0 || fd[1] < 0 ? -errno : 0;
	}
	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd) ||
	    getsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &room, &len))
		return -errno;
	/* A datagram must fit into the send buffer as a whole. */
	return type == SOCK_DGRAM && ch->size + 32 > (size_t)room ? -EMSGSIZE
								  : 0;
}

/* It loses its name at once. */
static int open_queue(const struct channel *ch, const char *name, int fd[2])
{
	const size_t fit = MQ_BYTES / ch->size;
	struct mq_attr attr = {
		.mq_maxmsg = fit < 1		 ? 1
			     : fit < MQ_MESSAGES ? (long)fit
						 : MQ_MESSAGES,
		.mq_msgsize = (long)ch->size,
	};

	fd[1] = mq_open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600,
			&attr);
	if (fd[1] < 0)
		return errno == EINVAL ? -EMSGSIZE : -errno;
	fd[0] = mq_open(name, O_RDONLY | O_CLOEXEC);
	if (mq_unlink(name) || fd[0] < 0)
		return -errno;
	/* A kernel may have queues, and nothing to put into them. */
	return mq_receive(fd[0], (char *)&attr, 0, NULL) < 0 && errno == ENOSYS
		       ? -ENOSYS
		       : 0;
}

static void open_box(const struct channel *ch, struct mailbox *box)
{
	const int shared =
		ch->threads ? PTHREAD_PROCESS_PRIVATE : PTHREAD_PROCESS_SHARED;
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
}

static int open_mailbox(struct channel *ch, unsigned int i, const char *name)
{
	int *fd = ch->port[i].fd;

	switch (ch->way) {
	case CHANNEL_PIPE:
		return pipe2(fd, O_CLOEXEC) ? -errno : 0;
	case CHANNEL_EVENTFD:
		if (ch->size != sizeof(uint64_t))
			return -EMSGSIZE;
		fd[0] = eventfd(0, EFD_CLOEXEC);
		fd[1] = fd[0] < 0 ? -1 : dup(fd[0]);
		return fd[1] < 0 ? -errno : 0;
	case CHANNEL_UNIX_STREAM:
		return open_sockets(ch, i, SOCK_STREAM);
	case CHANNEL_UNIX_DGRAM:
		return open_sockets(ch, i, SOCK_DGRAM);
	case CHANNEL_POSIX_MQ:
		return open_queue(ch, name, fd);
	default:
		open_box(ch, ch->port[i].box);
		return 0;
	}
}

static uint32_t slots_of(size_t size)
{
	const size_t n = 65536 / size;

	return n < 2 ? 2 : (uint32_t)n;
}

size_t queue_bytes(size_t size)
{
	return slots_of(size) * size;
}

/* The mailboxes, with @name for what must have a name for a moment: nothing of
 * it has one afterwards, but a semaphore, which has an id.  semget() makes
 * semaphores 0 on Linux.  Return: 0 or -errno; -EMSGSIZE if messages of that
 * size cannot be sent. */
static int open_channel(struct channel *ch, const char *name)
{
	int err = 0;

	ch->semaphore = -1;
	ch->stride = sizeof(struct mailbox);
	if (ch->way == CHANNEL_SHM_FUTEX)
		ch->stride += (queue_bytes(ch->size) + 63) & ~(size_t)63;
	ch->boxes = partner_share(ch->members * ch->stride);
	ch->port = malloc(ch->members * sizeof(*ch->port));
	for (unsigned int i = 0; ch->port && i < ch->members; i++)
		ch->port[i] = (struct port) {
			{ -1, -1 },
			(struct mailbox *)(void *)(ch->boxes + i * ch->stride),
		};
	if (!ch->boxes || !ch->port)
		return -ENOMEM;
	if (ch->way == CHANNEL_SYSV_SEM) {
		ch->semaphore = semget(IPC_PRIVATE, (int)ch->members, 0600);
		err = ch->semaphore < 0 ? -errno : 0;
	}
	for (unsigned int i = 0; i < ch->members && !err; i++)
		err = open_mailbox(ch, i, name);
	return err;
}

#define SLEEPS 1u		 /* the lowest bit */
#define COUNTS (UINT32_MAX >> 1) /* of messages */

static uint32_t count_of(uint32_t word)
{
	return word >> 1;
}

/* Sleep while *@word is @seen: mark it, unless it has changed, and let the
 * kernel look at the marked word once more. */
static void sleep_while(_Atomic uint32_t *word, uint32_t seen)
{
	if ((seen & SLEEPS) ||
	    atomic_compare_exchange_strong(word, &seen, seen | SLEEPS))
		futex_wait(word, seen | SLEEPS, false);
}

static void publish(_Atomic uint32_t *word, uint32_t count)
{
	if (atomic_exchange(word, count << 1) & SLEEPS)
		futex_wake(word, 1, false);
}

void queue_put(struct queue *q, const void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = count_of(atomic_load(&q->written));
	uint32_t read;

	while (((at - count_of(read = atomic_load(&q->read))) & COUNTS) >=
	       slots)
		sleep_while(&q->read, read);
	memcpy(q->data + at % slots * size, message, size);
	publish(&q->written, at + 1);
}

void queue_get(struct queue *q, void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = count_of(atomic_load(&q->read));
	uint32_t written;

	while (count_of(written = atomic_load(&q->written)) == at)
		sleep_while(&q->written, written);
	memcpy(message, q->data + at % slots * size, size);
	publish(&q->read, at + 1);
}

/* The loops are compiled once for each way, so that which it is was decided
 * before the interval began. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

void ring_account_read(struct ring_account *a)
{
	const struct rusage u = bench_usage(RUSAGE_THREAD);

	a->voluntary = u.ru_nvcsw;
	a->involuntary = u.ru_nivcsw;
	a->fetched = u.ru_majflt;
	a->cpu = sched_getcpu();
}

/* Signals come to all sides (Ctrl-C, the watch): that is no message. */
#define RETRY(call)                               \
	({                                        \
		ssize_t n_;                       \
		do                                \
			n_ = (call);              \
		while (n_ < 0 && errno == EINTR); \
		n_;                               \
	})

/* The result of a call that moved @n bytes of @all, or failed: 0 or -errno. */
ALWAYS_INLINE int whole(ssize_t n, size_t all)
{
	return n == (ssize_t)all ? 0 : n < 0 ? -errno : -EBADMSG;
}

/* The bytes of @buf out, or in. */
ALWAYS_INLINE int pass_bytes(int fd, unsigned char *buf, size_t left, bool out)
{
	while (left) {
		const ssize_t n =
			RETRY(out ? write(fd, buf, left) : read(fd, buf, left));

		if (n <= 0)
			return whole(n, left);
		buf += n;
		left -= (size_t)n;
	}
	return 0;
}

ALWAYS_INLINE int pass_futex(struct mailbox *box, bool threads,
			     unsigned char *buf, bool out)
{
	if (out) {
		memcpy(&box->message, buf, sizeof(box->message));
		atomic_store_explicit(&box->full, 1, memory_order_release);
		return futex_wake(&box->full, 1, threads) < 0 ? -EIO : 0;
	}
	while (!atomic_load_explicit(&box->full, memory_order_acquire))
		futex_wait(&box->full, 0, threads);
	memcpy(buf, &box->message, sizeof(box->message));
	atomic_store_explicit(&box->full, 0, memory_order_relaxed);
	return 0;
}

ALWAYS_INLINE int pass_condvar(struct mailbox *box, unsigned char *buf,
			       bool out)
{
	pthread_mutex_lock(&box->lock);
	while (!out && !box->full)
		pthread_cond_wait(&box->filled, &box->lock);
	if (out)
		memcpy(&box->message, buf, sizeof(box->message));
	else
		memcpy(buf, &box->message, sizeof(box->message));
	atomic_store_explicit(&box->full, out, memory_order_relaxed);
	if (out)
		pthread_cond_signal(&box->filled);
	return -pthread_mutex_unlock(&box->lock);
}

ALWAYS_INLINE int operate(int semaphore, unsigned int member, short by)
{
	struct sembuf op = { (unsigned short)member, by, 0 };

	return whole(RETRY(semop(semaphore, &op, 1)), 0);
}

/* One message out of @buf to the mailbox of @member, or from there. */
ALWAYS_INLINE int pass(enum channel_way way, const struct channel *ch,
		       unsigned int member, unsigned char *buf, bool out)
{
	struct mailbox *box = ch->port[member].box;
	const int fd = ch->port[member].fd[out];
	const size_t size = ch->size;

	switch (way) {
	case CHANNEL_UNIX_DGRAM:
		return whole(RETRY(out ? send(fd, buf, size, 0)
				       : recv(fd, buf, size, MSG_TRUNC)),
			     size);
	case CHANNEL_POSIX_MQ:
		return out ? whole(RETRY(mq_send(fd, (char *)buf, size, 0)), 0)
			   : whole(RETRY(mq_receive(fd, (char *)buf, size,
						    NULL)),
				   size);
	case CHANNEL_SYSV_SEM:
		return operate(ch->semaphore, member, out ? 1 : -1);
	case CHANNEL_SHM_FUTEX:
		if (out)
			queue_put(&box->queue, buf, size);
		else
			queue_get(&box->queue, buf, size);
		return 0;
	case CHANNEL_CONDVAR:
		return pass_condvar(box, buf, out);
	case CHANNEL_FUTEX:
		return pass_futex(box, ch->threads, buf, out);
	default:
		return pass_bytes(fd, buf, size, out);
	}
}

#define OF(way, name, f, ...) \
	case CHANNEL_##way:   \
		return f(CHANNEL_##way, __VA_ARGS__);
#define BY_WAY(r, f, ...)                    \
	switch ((r)->ch.way) {               \
		CHANNELS(OF, f, __VA_ARGS__) \
	default:                             \
		return -EINVAL;              \
	}

int ring_put(const struct ring *r, unsigned int to, unsigned char *buf)
{
	BY_WAY(r, pass, &r->ch, to, buf, true)
}

int ring_get(const struct ring *r, unsigned int self, unsigned char *buf)
{
	BY_WAY(r, pass, &r->ch, self, buf, false)
}

/* One load from each line of 64 bytes, as the members of lmbench's ring add up
 * an array. Return: bytes that it went over, which the message tells the next
 * one. */
static uint32_t read_lines(const char *memory, uint32_t bytes)
{
	uint64_t sum = 0, x;
	uint32_t i;

	for (i = 0; i < bytes; i += 64) {
		memcpy(&x, memory + i, sizeof(x));
		sum += x;
	}
	BENCH_KEEP(sum);
	return i;
}

static unsigned char *buf_of(const struct ring *r, unsigned int member)
{
	return r->buf + member * ((r->ch.size + 63) & ~(size_t)63);
}

/* The message as it came, after the reading that it asks for. */
ALWAYS_INLINE struct message take(const unsigned char *buf, const char *memory)
{
	struct message m;

	memcpy(&m, buf, sizeof(m));
	m.word = m.word ? read_lines(memory, m.word) : 0;
	return m;
}

ALWAYS_INLINE int laps(enum channel_way way, struct ring *r, uint64_t n)
{
	const struct channel ch = r->ch;
	const char *const memory = r->memory;
	unsigned char *const buf = r->buf;
	const uint32_t first = r->number;
	struct message m = { first, r->touch }, back;
	int err = 0;

	for (uint64_t i = 0; i < n && !err; i++) {
		m.number++;
		memcpy(buf, &m, sizeof(m));
		err = pass(way, &ch, 1, buf, true);
		if (!err)
			err = pass(way, &ch, 0, buf, false);
		back = take(buf, memory);
		if (!err && memcmp(&back, &m, sizeof(m)) != 0)
			err = -EBADMSG;
	}
	r->received += m.number - first - (err != 0);
	r->number = m.number;
	return err;
}

ALWAYS_INLINE int alone(enum channel_way way, struct ring *r, uint64_t n)
{
	const struct channel ch = r->ch;
	const unsigned int members = r->members;
	const size_t most = r->most;
	char *const memory = r->memory;
	unsigned char *const buf = r->buf;
	struct message m = { 1, r->touch };
	int err = 0;

	memcpy(buf, &m, sizeof(m));
	for (uint64_t i = 0; i < n && !err; i++)
		for (unsigned int k = 0; k < members; k++) {
			err |= pass(way, &ch, k, buf, true);
			/* The call that a waiter makes. */
			if (way == CHANNEL_FUTEX)
				futex_wait(&ch.port[k].box->full, 0,
					   ch.threads);
			err |= pass(way, &ch, k, buf, false);
			m = take(buf, memory + k * most);
			memcpy(buf, &m, sizeof(m));
		}
	return err || m.word == r->touch ? err : -EBADMSG;
}

/* The loop of a member until it must stop. */
ALWAYS_INLINE int serve(enum channel_way way, struct ring *r, unsigned int self,
			const char *memory)
{
	const struct channel ch = r->ch;
	struct ring_shared *shared = r->shared;
	struct ring_account *mine = &shared->account[self];
	unsigned char *buf = buf_of(r, self);
	uint64_t received = 0;
	int err = 0;

	while (!err) {
		const unsigned int next = self + 1;
		enum ring_order order;
		struct message m;

		err = pass(way, &ch, self, buf, false);
		m = take(buf, memory);
		memcpy(buf, &m, sizeof(m));
		received++;
		order = atomic_load_explicit(&shared->order,
					     memory_order_acquire);
		if (order == RING_REPORT) {
			ring_account_read(mine);
			mine->messages = received;
		}
		if (order == RING_STOP)
			break;
		if (!err)
			err = pass(way, &ch, next < shared->members ? next : 0,
				   buf, true);
	}
	return err;
}

static int go_round(struct ring *r, uint64_t n)
{
	BY_WAY(r, laps, r, n)
}

static int go_alone(struct ring *r, uint64_t n)
{
	BY_WAY(r, alone, r, n)
}

int ring_laps(struct bench *b, struct ring *r, uint64_t n)
{
	const int err = r->alone ? go_alone(r, n) : go_round(r, n);

	r->broken |= err != 0;
	return err ? bench_fail(b, -err, "a message was lost") : 0;
}

int ring_count(struct bench *b, struct ring *r, struct ring_account *sum)
{
	/* No reading: it is not timed, and with much memory takes longest. */
	const uint32_t touch = r->touch;
	struct ring_account *a = r->shared->account;
	int err;

	r->touch = 0;
	r->shared->order = RING_REPORT;
	err = ring_laps(b, r, 1);
	r->shared->order = RING_GO;
	r->touch = touch;
	if (err)
		return err;
	ring_account_read(&a[0]);
	*sum = (struct ring_account) { .cpu = a[1].cpu };
	for (unsigned int i = 0; i < r->members; i++) {
		sum->voluntary += a[i].voluntary;
		sum->involuntary += a[i].involuntary;
	}
	return 0;
}

/* Neither zero nor constant: some copies take short cuts for those. */
static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 31 + 7);
}

void ring_fill(unsigned char *buf, size_t bytes)
{
	/* No zero: that is no message of an eventfd. */
	memcpy(buf, &(struct message) { .number = 1 }, sizeof(struct message));
	for (size_t i = sizeof(struct message); i < bytes; i++)
		buf[i] = pattern(i);
}

uint64_t ring_right(const unsigned char *buf, size_t bytes)
{
	uint64_t right = sizeof(struct message);

	for (size_t i = sizeof(struct message); i < bytes; i++)
		right += buf[i] == pattern(i);
	return right;
}

/* Small pages for all, which are there and written to: what is compared must be
 * translated alike, and pages never written are one page of zeros. */
static char *map_small(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_NOHUGEPAGE);
	/* Not zeros: nothing may treat these pages as special. */
	return memset(p, 0x5a, bytes);
}

static int take_part(struct partner *p, void *arg)
{
	struct ring *r = arg;
	const unsigned int self = (unsigned int)(p - r->member);
	char *memory = map_small(r->most);

	if (r->most && !memory)
		return -ENOMEM;
	ring_fill(buf_of(r, self), r->ch.size); /* pages of its own */
	BY_WAY(r, serve, r, self, memory)
}

/* A channel that this machine's limits forbid is no failure. */
static int refused(struct bench *b, enum channel_way way, size_t size, int err)
{
	const char *name = channel_way_name(way);

	if (err == -EMSGSIZE)
		return bench_skip(b,
				  "%s: %zu bytes are more than a message may "
				  "have (sysctl %s)",
				  name, size,
				  way == CHANNEL_POSIX_MQ
					  ? "fs.mqueue.msgsize_max"
					  : "net.core.wmem_default");
	return partner_refused(b, -err, name);
}

static size_t memory_of(const struct ring *r)
{
	return r->alone ? r->ch.members * r->most : r->most;
}

static int open_memory(struct ring *r)
{
	r->shared = partner_share(sizeof(*r->shared));
	r->buf = mmap(NULL, (size_t)(buf_of(r, r->ch.members) - r->buf),
		      PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r->buf == MAP_FAILED)
		r->buf = NULL;
	if (!r->shared || !r->buf)
		return -ENOMEM;
	ring_fill(r->buf, r->ch.size);
	r->memory = map_small(memory_of(r));
	/* The members need no copy of it, and fork would have to make one. */
	if (r->memory)
		madvise(r->memory, memory_of(r), MADV_DONTFORK);
	return r->memory || !r->most ? 0 : -ENOMEM;
}

int ring_open(struct bench *b, struct ring *r)
{
	const size_t page = bench_page_bytes();
	const enum channel_way way = r->ch.way;
	const size_t size = r->ch.size;
	char name[40];
	int err;

	/* Unique: a process id, and a random number. */
	snprintf(name, sizeof(name), "/oscost-%d-%08x", getpid(),
		 (unsigned int)bench_random(b));
	if (way == CHANNEL_POSIX_MQ)
		bench_guard(b, "mq", name);
	r->most = (r->most + page - 1) / page * page;
	r->members = r->ch.members;
	r->made = 1;
	err = open_channel(&r->ch, name);
	if (!err && r->ch.semaphore >= 0) {
		snprintf(name, sizeof(name), "%d", r->ch.semaphore);
		bench_guard(b, "sem", name);
	}
	if (!err)
		err = open_memory(r);
	if (!err)
		return 0;
	ring_close(r);
	return refused(b, way, size, err);
}

int ring_start(struct bench *b, struct ring *r, int cpu)
{
	r->shared->order = RING_GO;
	r->shared->members = r->members;
	while (!r->alone && r->made < r->members) {
		const int err =
			partner_start(b, &r->member[r->made],
				      r->ch.threads ? PARTNER_THREAD
						    : PARTNER_PROCESS,
				      cpu, r->work ? r->work : take_part, r);

		if (err)
			return err;
		r->made++;
	}
	ring_fill(r->buf, r->ch.size); /* ours again */
	return 0;
}

void ring_close(struct ring *r)
{
	struct channel *ch = &r->ch;

	/* Some waits of a thread are not interrupted. */
	if (r->made == 2 && ch->threads) {
		r->shared->order = RING_STOP;
		ring_put(r, 1, r->buf);
	}
	partner_stop_all(r->member, r->made); /* the first is none */
	if (r->memory)
		munmap(r->memory, memory_of(r));
	if (r->buf)
		munmap(r->buf, (size_t)(buf_of(r, ch->members) - r->buf));
	partner_unshare(r->shared, sizeof(*r->shared));
	for (unsigned int i = 0; ch->port && i < ch->members; i++)
		for (int end = 0; end < 2; end++)
			if (ch->port[i].fd[end] >= 0)
				close(ch->port[i].fd[end]);
	free(ch->port);
	if (ch->members && ch->semaphore >= 0)
		semctl(ch->semaphore, 0, IPC_RMID);
	/* Locks are not destroyed: who was killed may have held them. */
	partner_unshare(ch->boxes, ch->members * ch->stride);
	memset(r, 0, sizeof(*r));
}
