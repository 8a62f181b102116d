/* SPDX-License-Identifier: MIT */
#ifndef NET_CAPTURE_H
#define NET_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "net_packet.h"

/*
 * TCP packets as they pass the network interface, by libpcap, with the stamps
 * of the kernel in nanoseconds.  Reading them takes no part in the times.
 */
struct net_capture {
	void *pcap;	 /* pcap_t, NULL if closed */
	uint16_t port;	 /* of the server */
	const char *why; /* there is nothing to be captured here */
};

/**
 * net_capture_open() - begin to capture the packets to and from the server's
 * port, on the interface through which connection @fd to the server goes.
 *
 * Return: 0 or bench_fail(); also 0 with @cap->why where that is not permitted
 * or libpcap was not there when this was built.
 */
int net_capture_open(struct net_capture *cap, struct bench *b, int fd);

/**
 * net_capture_until() - give packets to @see until it has seen the last one,
 * waiting up to @wait_ms for each.
 *
 * Return: 0, -ETIMEDOUT, or -EIO.
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
