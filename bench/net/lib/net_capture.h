/* SPDX-License-Identifier: MIT */
#ifndef NET_CAPTURE_H
#define NET_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/*
 * TCP packets as they pass the network interface, in a ring that the kernel
 * fills (packet(7), PACKET_RX_RING), with its stamps in nanoseconds.  Reading
 * them takes no part in the times.  All zero: closed.
 */
struct net_capture {
	unsigned char *ring; /* NULL: closed */
	int fd;
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

/* The next packet for something that needs some.  Return: whether it was the
 * last one. */
typedef bool net_see_fn(void *arg, const struct net_packet *p);

/* net_packet_parse() - an IP packet of which @have bytes are there.
 * Return: 0, or -EPROTO: no TCP to or from @server_port, or cut short. */
int net_packet_parse(struct net_packet *p, const unsigned char *ip, size_t have,
		     uint16_t server_port);

/**
 * net_capture_open() - begin to capture the packets to and from @port of the
 * server.
 *
 * Return: 0, bench_fail(), or bench_skip() where that is not permitted.
 */
int net_capture_open(struct net_capture *cap, struct bench *b, uint16_t port);

/**
 * net_capture_until() - give packets to @see until it has seen the last one,
 * waiting up to @wait_ms for each.  Return: 0 or -ETIMEDOUT.
 */
int net_capture_until(struct net_capture *cap, int wait_ms, net_see_fn *see,
		      void *arg);

/* net_capture_drain() - throw away all packets that are there. */
void net_capture_drain(struct net_capture *cap);

/* net_capture_close() - see no more packets, and give the number of those that
 * the kernel could not keep for us as the fact not_captured of @c.  Any state
 * is fine. */
void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c);

#endif
