/* SPDX-License-Identifier: MIT */
#include "net_wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than the kernel allows is cut to net.core.somaxconn: a full queue drops
 * SYNs, and the client tries again only after a second. */
#define BACKLOG 65535

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
}

int net_addr_here(int fd, struct net_addr *a)
{
	*a = (struct net_addr) { .len = sizeof(a->six) };
	return getsockname(fd, &a->any, &a->len) ? -errno : 0;
}

uint16_t net_addr_port_of(int fd)
{
	struct net_addr a;

	return net_addr_here(fd, &a) ? 0 : net_addr_port(&a);
}

int net_addr_listen(struct net_addr *a)
{
	const int on = 1;
	const int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	/* Connections in TIME_WAIT must not keep a new server out. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &a->any, a->len) || listen(fd, BACKLOG))
		err = -errno;
	if (!err)
		err = net_addr_here(fd, a);
	if (err)
		close(fd);
	return err ? err : fd;
}

int net_addr_enter(const char *name)
{
	char path[128];
	int fd, err;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	return err;
}
