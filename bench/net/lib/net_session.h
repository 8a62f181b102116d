/* SPDX-License-Identifier: MIT */
#ifndef NET_SESSION_H
#define NET_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "net_addr.h"
#include "net_serve.h"
#include "net_wire.h"

/*
 * What the server does with a connection that has said hello: a thread each,
 * that blocks (or polls, if it was asked to).  It sets no timeouts, for a
 * timer armed and taken back with each message would be part of the round
 * trip: a watcher looks at all sessions a few times a second instead.
 */
struct net_session {
	bool used;
	int fd;	 /* the connection */
	int udp; /* NET_ECHO_UDP: the socket of the datagrams, else -1 */
	struct net_hello hello;
	struct net_addr peer;
	_Atomic uint64_t bytes; /* received; read by the watcher */
	uint64_t seen;		/* by the watcher, when it last changed */
	uint64_t seen_ms, begin_ms;
	struct net_sessions *all;
};

struct net_sessions {
	pthread_mutex_t lock; /* of the table: fd and used of all sessions */
	pthread_cond_t ended;
	const struct net_limits *limits;
	struct net_session *table; /* limits->sessions of them */
	/* See struct net_answer. */
	_Atomic uint32_t closed;
	_Atomic uint64_t echoed;
	unsigned int count;
};

/* net_sessions_open() - Return: 0 or -ENOMEM. */
int net_sessions_open(struct net_sessions *all, const struct net_limits *lim);

/**
 * net_sessions_begin() - give connection @fd to a session of its own.
 *
 * @fd belongs to the session from then on, also when there is no room or no
 * thread: then the client is told, and it is closed.
 */
void net_sessions_begin(struct net_sessions *all, int fd,
			const struct net_hello *hello,
			const struct net_addr *peer, uint64_t now_ms);

/* net_sessions_watch() - end those that are beyond their limits, or whose
 * client has gone.  Return: how many there are. */
unsigned int net_sessions_watch(struct net_sessions *all, uint64_t now_ms);

/* net_sessions_close() - end all and wait for them. */
void net_sessions_close(struct net_sessions *all);

#endif
