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

#endif
