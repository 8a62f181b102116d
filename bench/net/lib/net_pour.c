/* SPDX-License-Identifier: MIT */
#include "net_pour.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel keeps a note of each message that it has not reported; there is
 * room for some hundreds (net.core.optmem_max). */
#define REAP_EVERY 32

/* Reports come when the data was acknowledged. */
#define REAP_MS 250

static const char *const names[NET_VIAS] = { "send", "zerocopy", "sendfile",
					     "splice" };

const char *net_via_name(enum net_via via)
{
	return names[via];
}

static int fill_file(struct net_pour *p)
{
	p->file = memfd_create("oscost", MFD_CLOEXEC);
	if (p->file < 0)
		return -errno;
	return write(p->file, p->buf, NET_MAX_MESSAGE) == NET_MAX_MESSAGE
		       ? 0
		       : -ENOSPC;
}

int net_pour_open(struct net_pour *p)
{
	p->file = p->pipe[0] = p->pipe[1] = -1;
	p->buf = malloc(NET_MAX_MESSAGE);
	if (!p->buf)
		return -ENOMEM;
	/* Neither zero nor constant: some copies take short cuts for those. */
	for (size_t i = 0; i < NET_MAX_MESSAGE; i++)
		p->buf[i] = (unsigned char)(i * 31 + 7);
	if (pipe2(p->pipe, O_CLOEXEC))
		return -errno;
	/* A pipe that holds less is slower, and right all the same. */
	fcntl(p->pipe[1], F_SETPIPE_SZ, (int)NET_MAX_MESSAGE);
	return fill_file(p);
}

int net_pour_prepare(const struct net_client *c, enum net_via via)
{
	const int on = 1;

	if (via == NET_ZEROCOPY &&
	    setsockopt(c->fd, SOL_SOCKET, SO_ZEROCOPY, &on, sizeof(on)))
		return -errno;
	return 0;
}

/* One report covers a range of messages.  Return: whether there was one. */
static bool hear_one(struct net_pour *p, int fd)
{
	union {
		char space[256];
		struct cmsghdr align;
	} room;
	struct msghdr msg = {
		.msg_control = room.space,
		.msg_controllen = sizeof(room.space),
	};
	const struct cmsghdr *head;
	struct sock_extended_err e;
	uint64_t n;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
		return false;
	head = CMSG_FIRSTHDR(&msg);
	if (!head)
		return true;
	memcpy(&e, CMSG_DATA(head), sizeof(e));
	if (e.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
		return true;
	n = (uint64_t)(e.ee_data - e.ee_info) + 1;
	p->unfinished -= n > p->unfinished ? p->unfinished : n;
	if (e.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		p->copied += n;
	return true;
}

static void hear(struct net_pour *p, int fd)
{
	while (p->unfinished && hear_one(p, fd))
		;
}

static int send_zerocopy(struct net_pour *p, struct net_client *c,
			 uint32_t size)
{
	uint32_t done = 0;

	c->waits = 0;
	while (done < size) {
		const ssize_t n = send(c->fd, p->buf + done, size - done,
				       MSG_ZEROCOPY | MSG_NOSIGNAL);
		int err = 0;

		if (n > 0) {
			done += (uint32_t)n;
			p->poured += (uint64_t)n;
			p->unfinished++;
		} else if (errno == ENOBUFS) {
			err = net_pour_reap(p, c);
		} else {
			err = net_client_check(c, errno);
		}
		if (err)
			return err;
	}
	if (p->unfinished >= REAP_EVERY)
		hear(p, c->fd);
	return 0;
}

static int send_file(struct net_pour *p, struct net_client *c, uint32_t size)
{
	off_t at = 0;

	c->waits = 0;
	while (at < (off_t)size) {
		const ssize_t n =
			sendfile(c->fd, p->file, &at, size - (size_t)at);
		const int err = n > 0	? 0
				: n < 0 ? net_client_check(c, errno)
					: -EIO;

		if (err)
			return err;
		p->poured += n > 0 ? (uint64_t)n : 0;
	}
	return 0;
}

static int drain_pipe(struct net_pour *p, struct net_client *c, size_t bytes)
{
	while (bytes) {
		const ssize_t n = splice(p->pipe[0], NULL, c->fd, NULL, bytes,
					 SPLICE_F_MOVE);
		const int err = n > 0	? 0
				: n < 0 ? net_client_check(c, errno)
					: -EIO;

		if (err)
			return err;
		if (n < 0)
			continue;
		bytes -= (size_t)n;
		p->poured += (uint64_t)n;
	}
	return 0;
}

static int splice_file(struct net_pour *p, struct net_client *c, uint32_t size)
{
	loff_t at = 0;

	c->waits = 0;
	while (at < (loff_t)size) {
		const ssize_t n = splice(p->file, &at, p->pipe[1], NULL,
					 size - (size_t)at, SPLICE_F_MOVE);
		int err = n > 0 ? 0 : n < 0 ? net_client_check(c, errno) : -EIO;

		if (n > 0)
			err = drain_pipe(p, c, (size_t)n);
		if (err)
			return err;
	}
	return 0;
}

int net_pour_message(struct net_pour *p, struct net_client *c, enum net_via via,
		     uint32_t size)
{
	switch (via) {
	case NET_ZEROCOPY:
		return send_zerocopy(p, c, size);
	case NET_SENDFILE:
		return send_file(p, c, size);
	case NET_SPLICE:
		return splice_file(p, c, size);
	default:
		p->poured += size;
		return net_client_send(c, p->buf, size);
	}
}

int net_pour_reap(struct net_pour *p, struct net_client *c)
{
	struct pollfd ready = { .fd = c->fd }; /* POLLERR comes unasked */
	unsigned int tries = 0;

	for (hear(p, c->fd); p->unfinished; hear(p, c->fd)) {
		const int err = net_client_check(c, EAGAIN);

		if (err)
			return err;
		if (++tries > c->patience)
			return -ETIMEDOUT;
		poll(&ready, 1, REAP_MS);
	}
	return 0;
}

void net_pour_close(struct net_pour *p)
{
	if (!p->buf)
		return; /* nothing was opened */
	free(p->buf);
	p->buf = NULL;
	if (p->file >= 0)
		close(p->file);
	if (p->pipe[0] >= 0) {
		close(p->pipe[0]);
		close(p->pipe[1]);
	}
}
