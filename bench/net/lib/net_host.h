/* SPDX-License-Identifier: MIT */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "net_addr.h"
#include "partner.h"

/*
 * The far end.  On loopback, and in the two network namespaces that
 * scripts/netlab makes, it is net_server in processes of ours on a CPU of our
 * choice; with --peer one that runs on another host.
 */
struct net_options {
	const char *peer;
	uint64_t port;
	bool netlab, ipv6;
};

/* Rows for the option table of a program whose state begins with @member. */
#define NET_OPTIONS(type)                                                 \
	OPT_STR(0, "peer", type, net.peer, NULL,                          \
		"measure to net_server on this host (default: loopback, " \
		"to a server of our own), IP address"),                   \
		OPT_U64(0, "port", type, net.port, "26321", 1, 65535,     \
			"where net_server listens, TCP port"),            \
		OPT_FLAG(0, "ipv6", type, net.ipv6,                       \
			 "all by IPv6, as on a host without IPv4, flag"), \
		OPT_FLAG(0, "netlab", type, net.netlab,                   \
			 "measure between the two network namespaces of " \
			 "scripts/netlab, flag")

#define NET_SERVERS 4 /* sessions that a server of ours can have at a time */

struct net_host {
	struct net_addr addr;
	bool is_peer; /* of --peer */
};

struct net_hosts {
	const struct net_options *options;
	struct bench *b;
	struct net_host host;
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

/**
 * net_hosts_set() - what the text of a program's cases needs: "$net" (loopback,
 * veth, shaped: veth with a limit or a line with a delay, or remote; with a 6
 * behind it where all is by IPv6), "$place" (where the server may run), "$near"
 * and "$far" (the first and the last of them; with --peer the only one), and
 * the needs "$ipv4" and "$ipv6".
 */
void net_hosts_set(struct bench *b, const struct net_options *o);

/* NET_HOSTS_RULES: the rules of all cases. */
#define NET_HOSTS_RULES                     \
	"is switches placed;"               \
	"needs $ipv6 if proto={tcp6,udp6};" \
	"needs $ipv4 if proto=icmp;"        \
	"needs $ip if proto!=unix"

/* net_hosts_is_memory() - whether nothing but this machine's memory is between
 * the ends: no wire, no limit, no delay. */
bool net_hosts_is_memory(const struct net_options *o);

/* net_hosts_open() - enter the namespace of --netlab, reach --peer.
 * Return: 0, bench_fail() or bench_skip(). */
int net_hosts_open(struct net_hosts *h, struct bench *b,
		   const struct net_options *o);

/**
 * net_hosts_begin() - in enter(): the server of the place and the protocol of
 * @c (proto=unix: AF_UNIX), for @sessions at a time.
 *
 * Return: 0 with @h->host, or as net_hosts_open(), or -ECANCELED if the user
 * wants to stop.
 */
int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions);

/* net_hosts_end() - in leave(): it is needed no more. */
void net_hosts_end(struct net_hosts *h);

/* net_hosts_close() - end all; any state is fine. */
void net_hosts_close(struct net_hosts *h);

#endif
