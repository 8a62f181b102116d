/* SPDX-License-Identifier: MIT */
#ifndef NET_HOST_H
#define NET_HOST_H

#include <limits.h>
#include <linux/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"
#include "net_wire.h"
#include "partner.h"

/*
 * The client's end of a session with net_server.  Calls block without
 * timeouts of their own (a timer for each call would be part of the result);
 * partner.h's watch makes them return now and then.
 */
struct net_client {
	struct bench *b;
	struct net_addr to;	  /* the server */
	int fd;			  /* connection, 0 if closed */
	struct net_answer server; /* when this session began */
};

/**
 * net_client_begin() - connect to @c->to, send @hello, read the answer.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int net_client_begin(struct net_client *c, struct net_hello hello);

/* Its first two steps: net_client_socket() makes a socket for @c->to,
 * net_client_dial() connects it.  Return: 0, -errno or as net_check().
 */
int net_client_socket(struct net_client *c);
int net_client_dial(struct net_client *c);

/* net_client_ask() - what the server has counted by now (closed,
 * echoed), by a short session of its own.  Return: as net_client_begin(). */
int net_client_ask(struct net_client *c);

/* net_client_end() - close the connection, if there is one. */
void net_client_end(struct net_client *c);

/* net_client_fail() - bench_fail() in words for one of those. */
int net_client_fail(struct net_client *c, int err, const char *doing);

/* net_client_info() - what the kernel knows of the connection; all zero if it
 * does not tell. */
struct tcp_info net_client_info(const struct net_client *c);

/* net_client_facts() - facts beside the evidence: server_cpu and, unless
 * @again is NULL, of the connection: congestion (the algorithm), and
 * retransmitted: @again and what it has sent again, which is added. */
void net_client_facts(const struct net_client *c, const struct bench_case *bc,
		      uint64_t *again);

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
	int family;	/* AF_INET6: of all that does not name one */
	bool in_memory; /* between the ends is no wire, no limit, no delay */
	/* The servers started here do not preempt the client that wakes them
	 * up; to be set before net_hosts_begin(). */
	bool defer;
	/* The present visit. */
	char file[PATH_MAX + 16]; /* net_server */
	int listener;		  /* 0: none */
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
void net_cases(struct bench *b, void *state);

/* NET_HOSTS_RULES: the rules of all cases. */
#define NET_HOSTS_RULES                     \
	"is switches;"                      \
	"needs $ipv6 if proto={tcp6,udp6};" \
	"needs $ipv4 if proto=icmp;"        \
	"needs $ip if proto!=unix"

/* net_hosts_open() - enter the namespace of --netlab, reach --peer.
 * Return: 0, bench_fail() or bench_skip(). */
int net_hosts_open(struct net_hosts *h, struct bench *b);

/**
 * net_hosts_begin() - in enter(): the server of the place and the protocol of
 * @c (proto=unix: AF_UNIX), for @sessions at a time, which wait for clients.
 *
 * Return: 0 with @h->client[].to, or as net_hosts_open().
 */
int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions);

/* net_hosts_end() - in leave(): it is needed no more, nor are the clients'
 * connections.  Any state is fine. */
void net_hosts_end(struct net_hosts *h);

#endif
