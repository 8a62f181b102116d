/* SPDX-License-Identifier: MIT */
#ifndef NET_PACKET_H
#define NET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A captured TCP packet, as far as the benchmarks look at it. */
struct net_packet {
	uint64_t ns;
	bool to_server;
	uint8_t flags; /* TH_SYN ... */
	uint16_t port; /* of the client */
	uint32_t seq, ack, payload;
};

/* net_packet_parse() - a captured Ethernet frame of which @have bytes are
 * there.  Return: 0, or -EPROTO: not IP with TCP, or cut short. */
int net_packet_parse(struct net_packet *p, const unsigned char *frame,
		     size_t have, uint16_t server_port);

/*
 * A segment with data to the server and its acknowledgement.  Only an
 * acknowledgement without data is one that the other kernel has sent by
 * itself: one with data is the answer of the process.
 */
struct net_ack {
	uint16_t port;		 /* of the client; others are passed over */
	uint64_t sent_ns, at_ns; /* of the segment and of its acknowledgement */
	uint32_t end;		 /* the number after the segment */
	unsigned int sendings;	 /* 1, or nobody knows which was meant */
	bool pure;		 /* the acknowledgement had no data */
};

/* The next packet for something that needs some.  Return: whether it was the
 * last one. */
typedef bool net_see_fn(void *arg, const struct net_packet *p);

/* net_ack_see() - for a struct net_ack.  The last one acknowledges. */
net_see_fn net_ack_see;

/*
 * Set-up and teardown of one TCP connection, as the CSE 221 report has them
 * (section 5.4): from the first SYN to the client's acknowledgement of the
 * server's, and from the client's FIN to its acknowledgement of the server's.
 */
struct net_handshake {
	uint16_t port; /* of the client; others are passed over */
	uint64_t syn_ns, open_ns, fin_ns, closed_ns;
	unsigned int syns, fins; /* that the client sent: 1 each, or again */
	uint32_t server_syn, server_fin;
	bool answered, finished; /* the server's SYN, FIN was seen */
};

/* net_handshake_see() - for a struct net_handshake. */
net_see_fn net_handshake_see;

#endif
