/* SPDX-License-Identifier: MIT */
#include "net_addr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than the kernel allows is cut to net.core.somaxconn: a full queue drops
 * SYNs, and the client tries again only after a second. */
#define BACKLOG 65535

static struct sockaddr_in *in4(const struct net_addr *a)
{
	return (struct sockaddr_in *)&a->sa;
}

static struct sockaddr_in6 *in6(const struct net_addr *a)
{
	return (struct sockaddr_in6 *)&a->sa;
}

void net_addr_set_port(struct net_addr *a, uint16_t port)
{
	if (a->sa.ss_family == AF_INET6)
		in6(a)->sin6_port = htons(port);
	else
		in4(a)->sin_port = htons(port);
}

uint16_t net_addr_port(const struct net_addr *a)
{
	return ntohs(a->sa.ss_family == AF_INET6 ? in6(a)->sin6_port
						 : in4(a)->sin_port);
}

int net_addr_parse(struct net_addr *a, const char *text, uint16_t port)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &in4(a)->sin_addr) == 1) {
		a->sa.ss_family = AF_INET;
		a->len = sizeof(struct sockaddr_in);
	} else if (inet_pton(AF_INET6, text, &in6(a)->sin6_addr) == 1) {
		a->sa.ss_family = AF_INET6;
		a->len = sizeof(struct sockaddr_in6);
	} else {
		return -EINVAL;
	}
	net_addr_set_port(a, port);
	return 0;
}

void net_addr_loopback(struct net_addr *a, int family, uint16_t port)
{
	net_addr_parse(a, family == AF_INET6 ? "::1" : "127.0.0.1", port);
}

/* The 16 bytes of IPv6, also of IPv4. */
static void host_of(const struct net_addr *a, unsigned char out[16])
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (a->sa.ss_family == AF_INET6) {
		memcpy(out, &in6(a)->sin6_addr, 16);
		return;
	}
	memcpy(out, mapped, 12);
	memcpy(out + 12, &in4(a)->sin_addr, 4);
}

bool net_addr_same_host(const struct net_addr *a, const struct net_addr *b)
{
	unsigned char x[16], y[16];

	host_of(a, x);
	host_of(b, y);
	return !memcmp(x, y, 16);
}

bool net_addr_is_loopback(const struct net_addr *a)
{
	struct net_addr six;
	unsigned char x[16];

	net_addr_loopback(&six, AF_INET6, 0);
	host_of(a, x);
	return net_addr_same_host(a, &six) ||
	       (x[10] == 0xff && x[11] == 0xff && x[12] == 127 &&
		!memcmp(x, (const unsigned char[10]) { 0 }, 10));
}

int net_addr_here(int fd, struct net_addr *a)
{
	*a = (struct net_addr) { .len = sizeof(a->sa) };
	return getsockname(fd, (struct sockaddr *)&a->sa, &a->len) ? -errno : 0;
}

/* A socket of @type at @a, whose port the kernel chooses if it is 0. */
static int bind_to(struct net_addr *a, int type)
{
	const int on = type == SOCK_STREAM;
	const int fd = socket(a->sa.ss_family, type | SOCK_CLOEXEC, 0);
	int err = 0;

	if (fd < 0)
		return -errno;
	/* What waits in TIME_WAIT must not keep a new server out. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a->sa, a->len) ||
	    (type == SOCK_STREAM && listen(fd, BACKLOG)))
		err = -errno;
	if (!err)
		err = net_addr_here(fd, a);
	if (err)
		close(fd);
	return err ? err : fd;
}

int net_addr_listen(struct net_addr *a)
{
	return bind_to(a, SOCK_STREAM);
}

int net_addr_datagrams(int connection, uint16_t *port)
{
	struct net_addr a;
	int fd = net_addr_here(connection, &a);

	if (fd)
		return fd;
	net_addr_set_port(&a, 0);
	fd = bind_to(&a, SOCK_DGRAM);
	*port = net_addr_port(&a);
	return fd;
}

int net_addr_space(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int net_addr_enter(const char *name)
{
	const int fd = net_addr_space(name);
	const int err = fd < 0 ? fd : setns(fd, CLONE_NEWNET) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

void net_addr_machine(char *name, size_t size)
{
	const int fd =
		open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(name, 0, size);
	if (fd < 0)
		return;
	if (read(fd, name, size) < 0)
		memset(name, 0, size);
	close(fd);
}
