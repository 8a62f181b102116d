/* SPDX-License-Identifier: MIT */
#ifndef NET_CAPTURE_H
#define NET_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/*
 * TCP packets as they pass the network interface, with the kernel's stamps in
 * nanoseconds, in a ring that it fills (packet(7), PACKET_RX_RING): reading
 * them takes no part in the times.  All zero: closed.
 */
struct net_capture {
	unsigned char *ring;
	int fd;		   /* 0: closed */
	int clock;	   /* of the stamps: wall_clock_watch() */
	unsigned int next; /* packet, counted from the first */
	int interface;	   /* the first that a packet to the server went by */
	uint16_t port;	   /* of the server */
};

/* A TCP packet, as far as the benchmarks look at it. */
struct net_packet {
	uint64_t ns;
	bool to_server;
	uint8_t flags; /* TH_SYN ... */
	uint16_t port; /* of the client */
	uint32_t seq, ack, payload;
};

/* net_packet_parse() - an IP packet of which @have bytes are there.
 * Return: 0, or -EPROTO: no TCP to or from @server_port, or cut short. */
int net_packet_parse(struct net_packet *p, const unsigned char *ip, size_t have,
		     uint16_t server_port);

/* net_capture_open() - begin to capture the packets to and from @port of the
 * server.  Return: 0, bench_fail(), or bench_skip() where it is not permitted.
 */
int net_capture_open(struct net_capture *cap, struct bench *b, uint16_t port);

/* net_capture_next() - the next packet; @wait: until there is one, but not
 * longer than some seconds for one that was lost.  Whatever a call on the
 * connection rests on was captured before that call returns.  Return: whether
 * there is one. */
bool net_capture_next(struct net_capture *cap, struct net_packet *p, bool wait);

/* net_capture_close() - give the number of packets that the kernel could not
 * keep for us as the fact not_captured of @c.  Any state is fine. */
void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c);

#endif
