/* SPDX-License-Identifier: MIT */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "net_client.h"
#include "partner.h"

/*
 * The far end.  On loopback, and in the two network namespaces that
 * scripts/netlab makes, it is net_server in processes of ours on a CPU of our
 * choice; with --peer one that runs on another host.
 */
#define NET_SERVERS 4 /* sessions that a server of ours can have at a time */

/* The state of a program begins with it. */
struct net_hosts {
	/* Options: net_options[]. */
	const char *peer;
	uint64_t port;
	bool netlab, ipv6;

	struct bench *b;
	struct net_client client[NET_SERVERS];
	int family;    /* AF_INET6: of all that does not name one */
	bool watching; /* a peer that is no process of ours */
	/* The servers started here do not preempt the client that wakes them
	 * up; to be set before net_hosts_begin(). */
	bool defer;
	/* Of this visit. */
	char file[PATH_MAX + 16]; /* net_server */
	int listener;
	struct partner server[NET_SERVERS];
};

extern const struct opt net_options[];

/**
 * net_cases() - a program's cases(): what the text of a program's cases needs:
 * "$net" (loopback, veth, shaped: veth with a limit or a line with a delay, or
 * remote; with a 6 behind it where all is by IPv6), "$place" (where the server
 * may run), "$near" and "$far" (the first and the last of them; with --peer the
 * only one), and the needs "$ipv4" and "$ipv6".
 */
int net_cases(struct bench *b, void *state);

/* NET_HOSTS_RULES: the rules of all cases. */
#define NET_HOSTS_RULES                     \
	"is switches placed;"               \
	"needs $ipv6 if proto={tcp6,udp6};" \
	"needs $ipv4 if proto=icmp;"        \
	"needs $ip if proto!=unix"

/* net_hosts_is_memory() - whether nothing but this machine's memory is between
 * the ends: no wire, no limit, no delay. */
bool net_hosts_is_memory(const struct net_hosts *h);

/* net_hosts_open() - enter the namespace of --netlab, reach --peer.
 * Return: 0, bench_fail() or bench_skip(). */
int net_hosts_open(struct net_hosts *h, struct bench *b);

/**
 * net_hosts_begin() - in enter(): the server of the place and the protocol of
 * @c (proto=unix: AF_UNIX), for @sessions at a time.
 *
 * Return: 0 with @h->client[].to, or as net_hosts_open(), or -ECANCELED if the
 * user wants to stop.
 */
int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions);

/* net_hosts_end() - in leave(): it is needed no more, nor are the clients'
 * connections. */
void net_hosts_end(struct net_hosts *h);

/* net_teardown() - a program's teardown(), or a part of it; any state is fine.
 */
void net_teardown(struct bench *b, void *state);

#endif
