/* SPDX-License-Identifier: MIT */
#ifndef NET_PROOF_H
#define NET_PROOF_H

#include <stdint.h>

#include "net_client.h"

/*
 * Evidence for messages that went through the network: what was answered, as
 * the client saw it, against what somebody else has counted meanwhile.
 */
enum net_proof_by {
	NET_PROOF_BYTES,  /* the kernel: bytes received on the connection */
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
