/* SPDX-License-Identifier: MIT */
#include "net_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "deadline.h"

/* More than the kernel allows is cut to net.core.somaxconn: a full queue drops
 * SYNs, and the client tries again only after a second. */
#define BACKLOG 65535

/* Number of empty polls between two reads of the clock. */
#define SPIN_LOOKS 1024u

ssize_t net_receive_some(int fd, void *buf, size_t len, int spin_ms)
{
	int64_t until = 0;

	for (unsigned int looks = 1; spin_ms; looks++) {
		const ssize_t n = recv(fd, buf, len, MSG_DONTWAIT);

		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			return n;
		if (looks % SPIN_LOOKS)
			continue;
		if (!until)
			until = deadline_in(spin_ms);
		else if (deadline_passed(until))
			break;
	}
	return recv(fd, buf, len, 0);
}

int net_check(ssize_t n)
{
	const int err = n < 0 ? errno : n ? 0 : ECONNRESET;

	return err == EINTR || err == EAGAIN ? 0 : -err;
}

/* @read, or send. */
static inline int move(int fd, char *at, size_t len, bool read)
{
	int err = 0;

	while (len && !err) {
		const ssize_t n = read ? recv(fd, at, len, 0)
				       : send(fd, at, len, MSG_NOSIGNAL);

		if (n > 0) {
			at += n;
			len -= (size_t)n;
		} else {
			err = net_check(n);
		}
	}
	return err;
}

int net_send(int fd, const void *buf, size_t len)
{
	return move(fd, (char *)buf, len, false);
}

int net_receive(int fd, void *buf, size_t len)
{
	return move(fd, buf, len, true);
}

int net_addr_parse(struct net_addr *a, const char *text, uint16_t port)
{
	const bool four = !strchr(text, ':');

	*a = (struct net_addr) { .any.sa_family = four ? AF_INET : AF_INET6,
				 .len = four ? sizeof(a->four)
					     : sizeof(a->six) };
	a->four.sin_port = htons(port);
	return inet_pton(a->any.sa_family, text,
			 four ? (void *)&a->four.sin_addr
			      : (void *)&a->six.sin6_addr) == 1
		       ? 0
		       : -EINVAL;
}

void net_addr_loopback(struct net_addr *a, int family, uint16_t port)
{
	net_addr_parse(a, family == AF_INET6 ? "::1" : "127.0.0.1", port);
	if (family == AF_UNIX)
		*a = (struct net_addr) { .any.sa_family = AF_UNIX,
					 .len = sizeof(a->any.sa_family) };
}

struct net_addr net_addr_here(int fd)
{
	struct net_addr a = { .len = sizeof(a.six) };

	return getsockname(fd, &a.any, &a.len) ? (struct net_addr) { .len = 0 }
					       : a;
}

int net_addr_listen(struct net_addr *a)
{
	const int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int on = 1;
	int err;

	/* Connections in TIME_WAIT must not keep a new server out. */
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, &a->any, a->len) || listen(fd, BACKLOG)) {
		err = -errno;
		close(fd);
		return err;
	}
	*a = net_addr_here(fd);
	return fd;
}
