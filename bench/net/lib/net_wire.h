/* SPDX-License-Identifier: MIT */
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

/*
 * The messages between a client and net_server, in the byte order of their
 * machines: to one of the other order the magic number is another, and it
 * hangs up.  A connection begins with a hello of the client, which says how
 * the server shall treat all that follows, and an answer of the server.  A
 * connection without a hello is fine: that is how tcp_connect uses it.
 */
#define NET_MAGIC	0x6f73636eu /* "oscn": of a hello */
#define NET_ANSWER	0x6f736361u /* "osca": an echo of a hello is no answer */
#define NET_VERSION	9
#define NET_MAX_MESSAGE (1u << 20) /* that goes back */
#define NET_MAX_SINK	(64u << 20)
#define NET_MAX_SPAN_NS (1ull << 36)
#define NET_MACHINE	40

/* A name for the running kernel, whatever the namespaces. */
#define NET_MACHINE_FILE "/proc/sys/kernel/random/boot_id"

enum net_op {
	NET_ECHO = 1, /* messages of size bytes go back as they came */
	NET_ECHO_UDP, /* the same with datagrams; the connection stays open */
	NET_SINK,     /* count; report once in a span of time, and at the end */
	NET_ACK,      /* send back, and acknowledge each packet before that */
};

#define NET_BUSY 1u /* flag: the server polls and does not sleep */

struct net_hello {
	uint32_t magic;
	uint16_t version;
	uint16_t op;
	uint32_t size; /* of a message */
	uint32_t flags;
	uint64_t span_ns; /* NET_SINK: from report to report */
	uint16_t port;	  /* NET_ECHO_UDP: from where the datagrams come */
	uint16_t zero;
	int32_t cpu;		   /* where the client runs */
	char machine[NET_MACHINE]; /* NET_MACHINE_FILE; or zeros */
};

enum net_status {
	NET_OK,
	NET_FULL,    /* too many sessions */
	NET_TROUBLE, /* the server has no memory, socket or thread for it */
};

struct net_answer {
	uint32_t magic;
	uint16_t status;
	uint16_t port;	       /* NET_ECHO_UDP: where to */
	int32_t cpu;	       /* where the server runs */
	uint32_t same_machine; /* as the client's, or 0 */
	/* Counted by the server since it began, for all its clients: all that
	 * a client counts must be in it. */
	uint32_t closed; /* connections without a hello that came and went */
	uint32_t zero;
	uint64_t echoed; /* messages and datagrams sent back */
};

/* NET_SINK: after the first bytes, then when a span is over. */
struct net_report {
	uint64_t bytes; /* that have come in all */
	uint64_t ns;	/* when they had, by the server's CLOCK_MONOTONIC;
			 * 0: the client has sent its last byte */
};

_Static_assert(sizeof(struct net_hello) == 72 &&
		       sizeof(struct net_answer) == 32 &&
		       sizeof(struct net_report) == 16,
	       "no gaps, so that all machines have the same");

/**
 * net_check() - whether to go on after a call on a connection has
 * returned @n, with errno.
 *
 * Return: 0 to go on or to try again, or why not: -ECONNRESET (the server hung
 * up: 0 bytes), or -errno.
 */
int net_check(ssize_t n);

/* net_send(), net_receive() - all of @len bytes, by socket @fd.
 * Return: 0 or as net_check(). */
int net_send(int fd, const void *buf, size_t len);
int net_receive(int fd, void *buf, size_t len);

/* net_receive_some() - recv(), which polls for the first @spin_ms.  Return: as
 * recv(). */
ssize_t net_receive_some(int fd, void *buf, size_t len, int spin_ms);

/* Addresses as numbers only: a name that does not resolve can block for
 * seconds, and one that does may mean another host tomorrow. */
struct net_addr {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six; /* its port is where @four's is */
	};
	socklen_t len;
};

/* net_addr_parse() - "127.0.0.1", "::1"; @port in host order.
 * Return: 0 or -EINVAL. */
int net_addr_parse(struct net_addr *a, const char *text, uint16_t port);

/* net_addr_loopback() - this host's, of @family (AF_INET, AF_INET6, or AF_UNIX:
 * one without a name). */
void net_addr_loopback(struct net_addr *a, int family, uint16_t port);

/* net_addr_here() - that of this end of socket @fd; all zero if unknown. */
struct net_addr net_addr_here(int fd);

/* net_addr_port() - in host order. */
static inline uint16_t net_addr_port(struct net_addr a)
{
	return ntohs(a.four.sin_port);
}

/* net_addr_listen() - a socket that listens on @a; a port 0 in it is replaced
 * by the one that the kernel chose, as is a name of none (AF_UNIX).
 * Return: descriptor or -errno. */
int net_addr_listen(struct net_addr *a);

#endif
