/* SPDX-License-Identifier: MIT */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

#include "partner.h"
#include "sync_futex.h"

/* A queue of ten messages, the kernel's default; fewer if they would take more
 * than half of what a user may have in queues (RLIMIT_MSGQUEUE, 800 KiB). */
#define MQ_MESSAGES 10
#define MQ_BYTES    409600u

static const char *const names[CHANNEL_WAYS] = {
	"pipe",	   "eventfd",	"unix_stream", "unix_dgram", "futex",
	"condvar", "shm_futex", "posix_mq",    "sysv_sem",   "sched_yield",
};

const char *channel_way_name(enum channel_way way)
{
	return names[way];
}

enum channel_way channel_way_of(const char *name)
{
	enum channel_way way = 0;

	while (way < CHANNEL_WAYS && strncmp(names[way], name, strlen(name)))
		way++;
	return way;
}

/* The second of two members has the other direction of the first one's. */
static int open_sockets(struct channel *ch, unsigned int i, int type)
{
	int *fd = ch->fd[i], room = 0;
	socklen_t len = sizeof(room);

	if (i == 1 && ch->members == 2) {
		fd[0] = dup(ch->fd[0][1]);
		fd[1] = dup(ch->fd[0][0]);
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
	int *fd = ch->fd[i];

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
		open_box(ch, channel_box(ch, i));
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

/* Before the mailboxes.  semget() makes semaphores 0 on Linux. */
static int open_memory(struct channel *ch)
{
	ch->semaphore = -1;
	ch->stride = sizeof(struct mailbox);
	if (ch->way == CHANNEL_SHM_FUTEX)
		ch->stride += (queue_bytes(ch->size) + 63) & ~(size_t)63;
	ch->boxes = partner_share(ch->members * ch->stride);
	ch->fd = malloc(ch->members * sizeof(*ch->fd));
	if (!ch->boxes || !ch->fd)
		return -ENOMEM;
	memset(ch->fd, -1, ch->members * sizeof(*ch->fd));
	if (ch->way == CHANNEL_SYSV_SEM)
		ch->semaphore = semget(IPC_PRIVATE, (int)ch->members, 0600);
	return ch->way == CHANNEL_SYSV_SEM && ch->semaphore < 0 ? -errno : 0;
}

int channel_open(struct channel *ch, const char *name)
{
	int err = open_memory(ch);

	for (unsigned int i = 0; i < ch->members && !err; i++)
		err = open_mailbox(ch, i, name);
	if (err)
		channel_close(ch);
	return err;
}

void channel_close(struct channel *ch)
{
	for (unsigned int i = 0; ch->fd && i < ch->members; i++)
		for (int end = 0; end < 2; end++)
			if (ch->fd[i][end] >= 0)
				close(ch->fd[i][end]);
	free(ch->fd);
	if (ch->members && ch->semaphore >= 0)
		semctl(ch->semaphore, 0, IPC_RMID);
	/* Locks are not destroyed: who was killed may have held them. */
	partner_unshare(ch->boxes, ch->members * ch->stride);
	*ch = (struct channel) { 0 };
}

/* The queue in shared memory. */

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
