/* SPDX-License-Identifier: MIT */
#ifndef NET_PACKET_H
#define NET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A TCP packet, as far as the benchmarks look at it. */
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

#endif
