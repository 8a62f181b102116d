/* SPDX-License-Identifier: MIT */
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <stdint.h>

/*
 * What a client and net_server say to each other, in network byte order.  A
 * connection begins with a hello of the client, which says what the server
 * shall do with what follows, and an answer of the server.  A connection
 * without a hello is fine: that is how tcp_connect uses it.
 */
#define NET_MAGIC	 0x6f73636eu /* "oscn" */
#define NET_VERSION	 3
#define NET_HELLO_BYTES	 32
#define NET_ANSWER_BYTES 24
#define NET_REPORT_BYTES 16
#define NET_MAX_MESSAGE	 (1u << 20)
#define NET_MAX_BLOCK	 (1ull << 36)

enum net_op {
	NET_ECHO = 1, /* messages of size bytes go back as they came */
	NET_ECHO_UDP, /* the same with datagrams; the connection stays open */
	NET_SINK,     /* count; report after each block of bytes */
	NET_ACK,      /* send back, and acknowledge each packet before that */
};

#define NET_BUSY 1u /* flag: the server polls and does not sleep */

struct net_hello {
	uint16_t op;
	uint32_t size; /* of a message */
	uint32_t flags;
	uint64_t block; /* NET_SINK: bytes from report to report */
	uint16_t port;	/* NET_ECHO_UDP: from where the datagrams come */
};

enum net_status {
	NET_OK,
	NET_FULL,    /* too many sessions */
	NET_TROUBLE, /* the server has no memory, socket or thread for it */
};

struct net_answer {
	uint16_t status;
	uint16_t port; /* NET_ECHO_UDP: where to */
	int32_t cpu;   /* where the server runs */
	/* What the server has counted since it began, for all its clients: what
	 * a client believes to have done must be in it. */
	uint32_t closed; /* connections without a hello that came and went */
	uint64_t echoed; /* messages and datagrams sent back */
};

void net_hello_pack(unsigned char *to, const struct net_hello *h);

/* net_hello_unpack() - of NET_HELLO_BYTES bytes that anybody may have sent.
 * Return: 0, or -EPROTO: not a hello, or one out of bounds. */
int net_hello_unpack(struct net_hello *h, const unsigned char *from);

void net_answer_pack(unsigned char *to, const struct net_answer *a);

/* net_answer_unpack() - Return: 0 or -EPROTO. */
int net_answer_unpack(struct net_answer *a, const unsigned char *from);

/* NET_SINK: after a block. */
struct net_report {
	uint64_t bytes; /* that have come in all */
	uint64_t ns;	/* when the block was there, by the server's
			 * CLOCK_MONOTONIC */
};

void net_report_pack(unsigned char *to, const struct net_report *r);
void net_report_unpack(struct net_report *r, const unsigned char *from);

#endif
