/* SPDX-License-Identifier: MIT */
#ifndef NET_POUR_H
#define NET_POUR_H

#include <stdbool.h>
#include <stdint.h>

#include "net_client.h"

/* Ways to put a message into a connection. */
enum net_via {
	NET_SEND,     /* copied from memory */
	NET_ZEROCOPY, /* from memory, which must stay untouched until it has
		       * left (MSG_ZEROCOPY) */
	NET_SENDFILE, /* out of the page cache */
	NET_SPLICE,   /* out of the page cache, through a pipe */
	NET_VIAS,
};

const char *net_via_name(enum net_via via);

/* What the messages come from; shared by all streams. */
struct net_pour {
	unsigned char *buf; /* of NET_MAX_MESSAGE bytes */
	int file;	    /* the same in the page cache */
	int pipe[2];
	uint64_t unfinished; /* messages without a copy, not yet reported */
	uint64_t copied;     /* of them, those that the kernel did copy */
	uint64_t poured;     /* bytes that connections took */
};

/* net_pour_open() - Return: 0 or -errno; close accepts either. */
int net_pour_open(struct net_pour *p);

/* net_pour_prepare() - ready a connection.  Return: 0 or -errno; -ENOPROTOOPT
 * where the kernel does not know MSG_ZEROCOPY. */
int net_pour_prepare(const struct net_client *c, enum net_via via);

/**
 * net_pour_message() - one message of @size bytes, at most NET_MAX_MESSAGE.
 *
 * Return: 0, or as net_client_send().
 */
int net_pour_message(struct net_pour *p, struct net_client *c, enum net_via via,
		     uint32_t size);

/* net_pour_reap() - after the last message: hear about what was sent without
 * a copy.  Return: 0, or as net_client_send(). */
int net_pour_reap(struct net_pour *p, struct net_client *c);

void net_pour_close(struct net_pour *p);

#endif
