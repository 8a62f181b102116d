/* SPDX-License-Identifier: MIT */
#ifndef NET_PING_H
#define NET_PING_H

#include <stdint.h>

#include "net_client.h"

/*
 * One message there and back, by TCP, by UDP or as an ICMP echo.  The first
 * byte is a number, by which an answer is known to be the one to this message.
 */
struct net_ping {
	unsigned char *buf; /* of NET_MAX_MESSAGE bytes */
	uint8_t number;
	int icmp; /* a raw socket, or -1 */
	uint16_t ident;
};

/* net_ping_open() - Return: 0 or -ENOMEM. */
int net_ping_open(struct net_ping *p);

/* net_ping_icmp_open() - a socket for echo requests to 127.0.0.1 or the host
 * of @c.  Return: 0 or -errno (-EPERM: not permitted). */
int net_ping_icmp_open(struct net_ping *p, const struct net_host *host);

/* net_ping_tcp(), net_ping_udp(), net_ping_icmp() - one round trip of @size
 * bytes (ICMP: even).
 * Return: 0 or as net_client_receive(); -EBADMSG if the answer is not what was
 * sent, -ETIMEDOUT from UDP and ICMP if it was lost. */
int net_ping_tcp(struct net_ping *p, struct net_client *c, uint32_t size);
int net_ping_udp(struct net_ping *p, struct net_client *c, uint32_t size);
int net_ping_icmp(struct net_ping *p, struct net_client *c, uint32_t size);

/* net_ping_icmp_close(), net_ping_close() - any state is fine. */
void net_ping_icmp_close(struct net_ping *p);
void net_ping_close(struct net_ping *p);

/*
 * Evidence for messages that went through the network: what was answered, as
 * the client saw it, against what somebody else has counted meanwhile.
 */
enum net_proof_by {
	NET_PROOF_BYTES,  /* the kernel: bytes received on the connection; where
			   * it does not count them, as NET_PROOF_SERVER */
	NET_PROOF_ACKED,  /* the kernel: bytes acknowledged on it */
	NET_PROOF_SERVER, /* the server: messages that it sent back */
	NET_PROOF_ICMP,	  /* the kernel: echo replies that came in */
};

struct net_proof {
	enum net_proof_by by;
	uint64_t before;
	uint64_t answered; /* by the client's own count */
	uint32_t size;	   /* of an answer, bytes */
};

/* net_proof_begin() - of a session that has just begun; messages of @size. */
void net_proof_begin(struct net_proof *p, const struct net_client *c,
		     enum net_proof_by by, uint32_t size);

/**
 * net_proof_end() - before the connection is closed; for NET_PROOF_SERVER it is
 * closed here, and the server is asked.
 *
 * Return: 0 or bench_fail().
 */
int net_proof_end(struct net_proof *p, struct net_client *c,
		  const struct bench_case *bc);

#endif
