/* SPDX-License-Identifier: MIT */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "net_addr.h"
#include "partner.h"

/*
 * The far end.  It is always a net_server: on loopback, and in the two network
 * namespaces that scripts/netlab makes, one that is started here on a CPU of
 * our choice; with --peer one that runs on another host, or is started there
 * over ssh.
 */
struct net_options {
	const char *peer, *peer_server;
	uint64_t port;
	bool netlab;
};

/* Rows for the option table of a program whose state begins with @member. */
#define NET_OPTIONS(type)                                                      \
	OPT_STR(0, "peer", type, net.peer, NULL,                               \
		"measure to net_server on this host (default: loopback, "      \
		"to a server of our own), IP address, or user@host to "        \
		"start it there over ssh"),                                    \
		OPT_STR(0, "peer-server", type, net.peer_server, "net_server", \
			"what to start there, path"),                          \
		OPT_U64(0, "port", type, net.port, "26321", 1, 65535,          \
			"where net_server listens, TCP port"),                 \
		OPT_FLAG(0, "netlab", type, net.netlab,                        \
			 "measure between the two network namespaces of "      \
			 "scripts/netlab, flag")

struct net_host {
	struct net_addr addr;
	bool is_peer;		/* of --peer */
	struct partner partner; /* the server, or the ssh to it; or none */
	int in; /* its standard input; with ssh the server ends with it */
};

#define NET_HOSTS 4

struct net_hosts {
	const struct net_options *options;
	struct bench *b;
	int far; /* the server's network namespace of --netlab, else -1 */
	struct net_host peer;
	bool watching; /* a peer that is no process of ours */
	/* The servers started here do not preempt the client that wakes them
	 * up; to be set before net_hosts_need(). */
	bool defer;
	/* On this CPU and on another, by IPv4 and by IPv6. */
	struct net_host host[NET_HOSTS];
};

/**
 * net_hosts_set() - what the text of a program's cases needs: "$net" (loopback,
 * veth, shaped: veth with a limit or a line with a delay, or remote), "$place"
 * (where the server may run), "$near" and "$far" (the first and the last of
 * them; with --peer the only one), and the needs "$ipv4" and "$ipv6".
 */
void net_hosts_set(struct bench *b, const struct net_options *o);

/* NET_HOSTS_RULES: the rules of all cases. */
#define NET_HOSTS_RULES                     \
	"is switches placed;"               \
	"needs $ipv6 if proto={tcp6,udp6};" \
	"needs $ipv4 if proto!={tcp6,udp6}"

/* net_hosts_is_memory() - whether nothing but this machine's memory is between
 * the ends: no wire, no limit, no delay. */
bool net_hosts_is_memory(const struct net_options *o);

/* net_hosts_open() - enter the namespace of --netlab, reach --peer.
 * Return: 0, bench_fail() or bench_skip(). */
int net_hosts_open(struct net_hosts *h, struct bench *b,
		   const struct net_options *o);

/**
 * net_hosts_need() - the server of the place and the IP version of @c, started
 * afresh if it has ended.
 *
 * Return: the host, or NULL after bench_fail() or bench_skip(), or when the
 * user wants to stop.
 */
const struct net_host *net_hosts_need(struct net_hosts *h,
				      const struct bench_case *c);

/* net_hosts_close() - end all servers; any state is fine. */
void net_hosts_close(struct net_hosts *h);

#endif
