/* SPDX-License-Identifier: MIT */
#ifndef SESSION_H
#define SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* net_session_run() - answer the hello and do what it says, until the client
 * hangs up.  The caller closes the connection. */
void net_session_run(struct net_session *s);

/* net_session_accept() - serve the next connection of @listener from its
 * beginning to its end; without a hello it is only counted.
 * Return: 0 or -errno of accept(). */
int net_session_accept(int listener, struct net_counts *counts);

#endif
