/* SPDX-License-Identifier: MIT */
#ifndef SESSION_H
#define SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../lib/net_wire.h"

/* See struct net_answer; in memory that all processes of a server share. */
struct net_counts {
	_Atomic uint64_t echoed;
	_Atomic uint32_t closed;
};

/*
 * The server's end of a connection.  It never does anything but to count, send
 * back and throw away what comes.  Its calls block without timeouts, for a
 * timer armed and taken back with each message would be part of the round trip.
 */
struct net_session {
	int fd;
	struct net_hello hello; /* that fits */
	bool same_machine;	/* as its client */
	struct net_counts *counts;
	uint64_t most;		 /* bytes that it may get */
	volatile uint64_t bytes; /* that it has got */
};

/* net_hello_fits() - whether that, which anybody may have sent, is a hello
 * within bounds. */
static inline bool net_hello_fits(const struct net_hello *h)
{
	return h->magic == NET_MAGIC && h->version == NET_VERSION &&
	       h->op >= NET_ECHO && h->op <= NET_ACK &&
	       !(h->flags & ~NET_BUSY) && h->size >= 1 &&
	       h->size <=
		       (h->op == NET_SINK ? NET_MAX_SINK : NET_MAX_MESSAGE) &&
	       h->span_ns <= NET_MAX_SPAN_NS &&
	       (h->op != NET_SINK || h->span_ns) &&
	       (h->op != NET_ECHO_UDP || h->port);
}

/* net_same_machine() - whether the client of @h runs on @machine, a server's.
 */
static inline bool net_same_machine(const struct net_hello *h,
				    const char *machine)
{
	return *machine && !memcmp(h->machine, machine, NET_MACHINE);
}

/* net_session_run() - answer the hello and do what it says, until the client
 * hangs up.  The caller closes the connection. */
void net_session_run(struct net_session *s);

/* net_session_accept() - serve the next connection of @listener from its
 * beginning to its end; without a hello it is only counted.
 * Return: 0 or -errno of accept(). */
int net_session_accept(int listener, struct net_counts *counts);

/* net_session_datagrams() - a socket for datagrams beside @connection: at the
 * same address, for those from port @from of the client alone.
 * @port: gets ours, which the kernel chose.
 * Return: descriptor or -errno. */
int net_session_datagrams(int connection, uint16_t from, uint16_t *port);

/* net_addr_same_host() - whether the two differ at most in the port; an IPv4
 * address counts as the same when it comes mapped into IPv6. */
bool net_addr_same_host(const struct net_addr *a, const struct net_addr *b);

/* net_addr_is_loopback() - 127.0.0.0/8 or ::1. */
bool net_addr_is_loopback(const struct net_addr *a);

#endif
