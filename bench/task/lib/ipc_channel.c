/* SPDX-License-Identifier: MIT */
#include "ipc_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

#include "partner.h"

/* A queue of ten messages, the kernel's default; fewer if they would take more
 * than half of what a user may have in queues (RLIMIT_MSGQUEUE, 800 KiB). */
#define MQ_MESSAGES 10
#define MQ_BYTES    409600u

/* With the number of the last message. */
#define LAST (UINT64_C(1) << 63)

static const char *const names[IPC_VIAS] = {
	"pipe",	     "unix_stream", "unix_dgram", "eventfd",
	"shm_futex", "posix_mq",    "sysv_sem",
};

const char *ipc_via_name(enum ipc_via via)
{
	return names[via];
}

static int open_pipes(struct ipc_ends *a, struct ipc_ends *b)
{
	int there[2], back[2];

	if (pipe2(there, O_CLOEXEC))
		return -errno;
	a->tx = there[1];
	b->rx = there[0];
	if (pipe2(back, O_CLOEXEC))
		return -errno;
	b->tx = back[1];
	a->rx = back[0];
	return 0;
}

static int open_sockets(int type, struct ipc_ends *a, struct ipc_ends *b)
{
	int fd[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd))
		return -errno;
	a->rx = fd[0];
	b->rx = fd[1];
	a->tx = dup(fd[0]);
	b->tx = dup(fd[1]);
	return a->tx < 0 || b->tx < 0 ? -errno : 0;
}

static int open_eventfds(struct ipc_ends *a, struct ipc_ends *b)
{
	a->tx = eventfd(0, EFD_CLOEXEC);
	b->tx = eventfd(0, EFD_CLOEXEC);
	if (a->tx < 0 || b->tx < 0)
		return -errno;
	b->rx = dup(a->tx);
	a->rx = dup(b->tx);
	return a->rx < 0 || b->rx < 0 ? -errno : 0;
}

/* One queue: its write and its read end.  It loses its name at once. */
static int open_queue(const char *name, uint64_t size, int *tx, int *rx)
{
	const uint64_t fit = MQ_BYTES / size;
	struct mq_attr attr = {
		.mq_maxmsg = fit < 1		 ? 1
			     : fit < MQ_MESSAGES ? (long)fit
						 : MQ_MESSAGES,
		.mq_msgsize = (long)size,
	};

	*tx = mq_open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600,
		      &attr);
	if (*tx < 0)
		return errno == EINVAL ? -EMSGSIZE : -errno;
	*rx = mq_open(name, O_RDONLY | O_CLOEXEC);
	if (mq_unlink(name) || *rx < 0)
		return -errno;
	/* A kernel may have queues, and nothing to put into them. */
	return mq_receive(*rx, (char *)&attr, 0, NULL) < 0 && errno == ENOSYS
		       ? -ENOSYS
		       : 0;
}

static int open_queues(const char *name, struct ipc_ends *a, struct ipc_ends *b)
{
	const int err = open_queue(name, a->size, &a->tx, &b->rx);

	return err ? err : open_queue(name, a->size, &b->tx, &a->rx);
}

/* Two semaphores: number i is up when side i may go on.  semget() makes them
 * 0 on Linux. */
static int open_semaphore(struct ipc_ends *a, struct ipc_ends *b)
{
	a->semaphore = semget(IPC_PRIVATE, 2, 0600);
	b->semaphore = a->semaphore;
	return a->semaphore < 0 ? -errno : 0;
}

/* A datagram must fit into the send buffer as a whole. */
static int check_datagram(const struct ipc_ends *e)
{
	int room = 0;
	socklen_t len = sizeof(room);

	if (getsockopt(e->tx, SOL_SOCKET, SO_SNDBUF, &room, &len))
		return -errno;
	return e->size + 32 > (uint64_t)room ? -EMSGSIZE : 0;
}

static int open_ends(const char *name, struct ipc_ends *a, struct ipc_ends *b)
{
	int err;

	switch (a->via) {
	case IPC_PIPE:
		return open_pipes(a, b);
	case IPC_UNIX_STREAM:
		return open_sockets(SOCK_STREAM, a, b);
	case IPC_UNIX_DGRAM:
		err = open_sockets(SOCK_DGRAM, a, b);
		return err ? err : check_datagram(a);
	case IPC_EVENTFD:
		if (a->size != sizeof(uint64_t))
			return -EMSGSIZE;
		return open_eventfds(a, b);
	case IPC_POSIX_MQ:
		return open_queues(name, a, b);
	case IPC_SYSV_SEM:
		return open_semaphore(a, b);
	default:
		return 0; /* shared memory is there already */
	}
}

int ipc_open(enum ipc_via via, uint64_t size, const char *name,
	     struct ipc_ends *mine, struct ipc_ends *theirs)
{
	int err;

	*mine = (struct ipc_ends) { via, size, 0, -1, -1, -1 };
	*theirs = (struct ipc_ends) { via, size, 1, -1, -1, -1 };
	err = open_ends(name, mine, theirs);
	if (err) {
		ipc_close(mine);
		ipc_close(theirs);
	}
	return err;
}

void ipc_close(struct ipc_ends *ends)
{
	if (ends->tx >= 0)
		close(ends->tx);
	if (ends->rx >= 0)
		close(ends->rx);
	if (ends->semaphore >= 0 && ends->side == 0)
		semctl(ends->semaphore, 0, IPC_RMID);
	ends->tx = ends->rx = ends->semaphore = -1;
}

void ipc_attach(struct ipc_channel *ch, const struct ipc_ends *ends)
{
	ch->ends = *ends;
	ch->sent = ch->received = ch->bytes = 0;
	ch->checked = ch->right = 0;
	ch->last = ch->ended = false;
}

/* Neither zero nor constant: some copies take short cuts for those. */
static unsigned char pattern(size_t i)
{
	return (unsigned char)(i * 31 + 7);
}

void ipc_fill(unsigned char *buf, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf[i] = pattern(i);
}

/* What a call that gave @got bytes or an error means: 0 if it is to be done
 * again, or -errno. */
static int failure(ssize_t got)
{
	if (got == 0)
		return -EPIPE;
	return errno == EINTR ? partner_check() : -errno;
}

/* advance() - @done gets the @n bytes that a call moved; a broken channel's
 * error otherwise. */
static int advance(size_t *done, ssize_t n)
{
	if (n <= 0)
		return failure(n);
	*done += (size_t)n;
	return 0;
}

static int send_bytes(struct ipc_channel *ch)
{
	size_t done = 0;
	int err = 0;

	while (done < ch->ends.size && !err)
		err = advance(&done, write(ch->ends.tx, ch->buf + done,
					   ch->ends.size - done));
	return err;
}

static int receive_bytes(struct ipc_channel *ch)
{
	size_t done = 0;
	int err = 0;

	while (done < ch->ends.size && !err)
		err = advance(&done, read(ch->ends.rx, ch->buf + done,
					  ch->ends.size - done));
	return err;
}

static int send_datagram(struct ipc_channel *ch)
{
	int err;

	do {
		const ssize_t n = send(ch->ends.tx, ch->buf, ch->ends.size, 0);

		if (n == (ssize_t)ch->ends.size)
			return 0;
		err = n > 0 ? -EMSGSIZE : failure(n);
	} while (!err);
	return err;
}

static int receive_datagram(struct ipc_channel *ch)
{
	int err;

	do {
		const ssize_t n =
			recv(ch->ends.rx, ch->buf, ch->ends.size, MSG_TRUNC);

		if (n == (ssize_t)ch->ends.size)
			return 0;
		err = n > 0 ? -EBADMSG : failure(n);
	} while (!err);
	return err;
}

static int send_queue(struct ipc_channel *ch)
{
	while (mq_send(ch->ends.tx, (char *)ch->buf, ch->ends.size, 0)) {
		const int err = failure(-1);

		if (err)
			return err;
	}
	return 0;
}

static int receive_queue(struct ipc_channel *ch)
{
	int err;

	do {
		const ssize_t n = mq_receive(ch->ends.rx, (char *)ch->buf,
					     ch->ends.size, NULL);

		if (n == (ssize_t)ch->ends.size)
			return 0;
		err = n >= 0 ? -EBADMSG : failure(n);
	} while (!err);
	return err;
}

static int operate(struct ipc_channel *ch, int number, short by)
{
	struct sembuf op = { (unsigned short)number, by, 0 };

	while (semop(ch->ends.semaphore, &op, 1)) {
		const int err = failure(-1);

		if (err)
			return err;
	}
	return 0;
}

static int send_semaphore(struct ipc_channel *ch)
{
	return operate(ch, ch->ends.side ^ 1, 1);
}

static int receive_semaphore(struct ipc_channel *ch)
{
	return operate(ch, ch->ends.side, -1);
}

static int send_ring(struct ipc_channel *ch)
{
	struct ipc_ring *r = &ch->rings->ring[ch->ends.side];

	while (ipc_ring_put(r, ch->buf, ch->ends.size)) {
		const int err = partner_check();

		if (err)
			return err;
	}
	return 0;
}

static int receive_ring(struct ipc_channel *ch)
{
	struct ipc_ring *r = &ch->rings->ring[ch->ends.side ^ 1];

	while (ipc_ring_get(r, ch->buf, ch->ends.size)) {
		const int err = partner_check();

		if (err)
			return err;
	}
	return 0;
}

static int (*const senders[IPC_VIAS])(struct ipc_channel *) = {
	[IPC_PIPE] = send_bytes,	  [IPC_UNIX_STREAM] = send_bytes,
	[IPC_UNIX_DGRAM] = send_datagram, [IPC_EVENTFD] = send_bytes,
	[IPC_SHM_FUTEX] = send_ring,	  [IPC_POSIX_MQ] = send_queue,
	[IPC_SYSV_SEM] = send_semaphore,
};

static int (*const receivers[IPC_VIAS])(struct ipc_channel *) = {
	[IPC_PIPE] = receive_bytes,	     [IPC_UNIX_STREAM] = receive_bytes,
	[IPC_UNIX_DGRAM] = receive_datagram, [IPC_EVENTFD] = receive_bytes,
	[IPC_SHM_FUTEX] = receive_ring,	     [IPC_POSIX_MQ] = receive_queue,
	[IPC_SYSV_SEM] = receive_semaphore,
};

int ipc_send(struct ipc_channel *ch)
{
	const uint64_t number = ++ch->sent | (ch->last ? LAST : 0);

	memcpy(ch->buf, &number, sizeof(number));
	return senders[ch->ends.via](ch);
}

int ipc_receive(struct ipc_channel *ch)
{
	const int err = receivers[ch->ends.via](ch);
	uint64_t number;

	if (err)
		return err;
	ch->received++;
	if (ch->ends.via == IPC_SYSV_SEM)
		return 0; /* it carries no message */
	memcpy(&number, ch->buf, sizeof(number));
	ch->bytes += ch->ends.size;
	ch->ended = number & LAST;
	return (number & ~LAST) == ch->received ? 0 : -EBADMSG;
}

int ipc_receive_checked(struct ipc_channel *ch)
{
	int err;

	memset(ch->buf, 0, ch->ends.size);
	err = ipc_receive(ch);
	if (err)
		return err;
	ch->checked += ch->ends.size;
	ch->right += sizeof(uint64_t); /* the number */
	for (size_t i = sizeof(uint64_t); i < ch->ends.size; i++)
		ch->right += ch->buf[i] == pattern(i);
	return 0;
}
