/* SPDX-License-Identifier: MIT */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

/* Addresses as numbers only: a name that does not resolve can block for
 * seconds, and one that does may mean another host tomorrow. */
struct net_addr {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6
			six; /* its port is where that of @four is */
	};
	socklen_t len;
};

/* net_addr_parse() - "127.0.0.1", "::1"; @port in host order.
 * Return: 0 or -EINVAL. */
int net_addr_parse(struct net_addr *a, const char *text, uint16_t port);

/* net_addr_loopback() - of @family (AF_INET, AF_INET6). */
void net_addr_loopback(struct net_addr *a, int family, uint16_t port);

/* net_addr_port() - in host order. */
static inline uint16_t net_addr_port(const struct net_addr *a)
{
	return ntohs(a->four.sin_port);
}

/* net_addr_here() - that of this end of socket @fd.  Return: 0 or -errno. */
int net_addr_here(int fd, struct net_addr *a);

/* net_addr_listen() - a socket that listens on @a; a port 0 in it is replaced
 * by the one that the kernel chose, as is a name of none (AF_UNIX).
 * Return: descriptor or -errno. */
int net_addr_listen(struct net_addr *a);

/* net_addr_enter() - enter the network namespace @name of ip-netns(8).
 * Return: 0 or -errno. */
int net_addr_enter(const char *name);

/* net_addr_machine() - a name for the running kernel, whatever the namespaces;
 * zeros where it has none. */
void net_addr_machine(char *name, size_t size);

#endif
