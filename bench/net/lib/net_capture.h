/* SPDX-License-Identifier: MIT */
#ifndef NET_CAPTURE_H
#define NET_CAPTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "net_ack.h"
#include "net_addr.h"
#include "net_handshake.h"
#include "net_host.h"
#include "net_packet.h"

/*
 * TCP packets as they pass the network interface, by libpcap, with the stamps
 * of the kernel in nanoseconds.  Reading them takes no part in the times.
 */
struct net_capture {
	void *pcap;	 /* pcap_t, NULL if closed */
	uint16_t port;	 /* of the server */
	const char *why; /* there is nothing to be captured here */
	pthread_t closer;
	bool closing; /* the closer is to be joined */
};

/**
 * net_capture_open() - begin to capture the packets to and from port
 * @server_port of the server.
 * @here: an address of this host: the interface that has it is used.
 *
 * Return: 0, bench_fail(), or -ENOTSUP with @cap->why where that is not
 * permitted or libpcap was not there when this was built.
 */
int net_capture_open(struct net_capture *cap, struct bench *b,
		     const struct net_addr *here, uint16_t server_port);

/* net_capture_connection() - the same for the connection @fd to that port. */
int net_capture_connection(struct net_capture *cap, struct bench *b, int fd,
			   uint16_t server_port);

/**
 * net_capture_next() - the next packet, waiting up to @wait_ms for it.
 *
 * Return: 0, -ETIMEDOUT, or -EIO.
 */
int net_capture_next(struct net_capture *cap, struct net_packet *p,
		     int wait_ms);

/**
 * net_capture_ack() - wait for the next segment with data from client port
 * @ack->port and its acknowledgement.
 *
 * Return: as net_capture_next().
 */
int net_capture_ack(struct net_capture *cap, int wait_ms, struct net_ack *ack);

/**
 * net_capture_handshake() - the whole of the connection from client port @port
 * out of what was captured.  Others are thrown away.
 *
 * Return: as net_capture_next().
 */
int net_capture_handshake(struct net_capture *cap, struct net_handshake *h,
			  uint16_t port, int wait_ms);

/* net_capture_drain() - throw away what is there. */
void net_capture_drain(struct net_capture *cap);

/* net_capture_lost() - packets that the kernel could not keep for us. */
unsigned int net_capture_lost(const struct net_capture *cap);

/**
 * net_capture_end() - see no more packets.  The kernel takes some 20 ms to let
 * a capture go, in which it only waits: that is left to a thread.  Until then a
 * process that is forked would keep it alive: see net_capture_host().
 */
void net_capture_end(struct net_capture *cap);

/* net_capture_host() - net_hosts_need(), but what it forks has nothing of a
 * capture: no socket, and no memory that the kernel fills for it. */
const struct net_host *net_capture_host(struct net_capture *cap,
					struct net_hosts *h,
					enum net_place place, int family);

/* net_capture_close() - the same, and wait until it has gone; any state is
 * fine. */
void net_capture_close(struct net_capture *cap);

#endif
