/* SPDX-License-Identifier: MIT */
#include "net_packet.h"

#include <errno.h>
#include <netinet/in.h>

#define ETHER_BYTES 14
#define IP6_BYTES   40
#define TCP_BYTES   20

static uint32_t get(const unsigned char *from, unsigned int bytes)
{
	uint32_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

/* Where TCP begins, and where the IP packet ends; 0 if it is not TCP. */
static size_t find_tcp(const unsigned char *frame, size_t have, size_t *end)
{
	const unsigned char *ip = frame + ETHER_BYTES;
	size_t header;

	if (have < ETHER_BYTES + IP6_BYTES)
		return 0;
	switch (get(frame + 12, 2)) {
	case 0x0800:
		header = (size_t)(ip[0] & 15u) << 2;
		if (ip[0] >> 4 != 4 || header < 20 || ip[9] != IPPROTO_TCP)
			return 0;
		*end = ETHER_BYTES + get(ip + 2, 2);
		return ETHER_BYTES + header;
	case 0x86dd:
		if (ip[0] >> 4 != 6 || ip[6] != IPPROTO_TCP)
			return 0;
		*end = ETHER_BYTES + IP6_BYTES + get(ip + 4, 2);
		return ETHER_BYTES + IP6_BYTES;
	default:
		return 0;
	}
}

int net_packet_parse(struct net_packet *p, const unsigned char *frame,
		     size_t have, uint16_t server_port)
{
	size_t end = 0;
	const size_t at = find_tcp(frame, have, &end);
	const unsigned char *tcp = frame + at;
	size_t payload;

	if (!at || have < at + TCP_BYTES)
		return -EPROTO;
	payload = at + ((size_t)(tcp[12] >> 4) << 2);
	if (payload < at + TCP_BYTES || payload > end)
		return -EPROTO;
	p->to_server = get(tcp + 2, 2) == server_port;
	p->port = (uint16_t)get(p->to_server ? tcp : tcp + 2, 2);
	p->seq = get(tcp + 4, 4);
	p->ack = get(tcp + 8, 4);
	p->flags = tcp[13];
	p->payload = (uint32_t)(end - payload);
	return 0;
}

bool net_ack_see(void *arg, const struct net_packet *p)
{
	struct net_ack *a = arg;

	if (p->port != a->port)
		return false;
	if (p->to_server) {
		if (!p->payload)
			return false;
		a->sent_ns = p->ns;
		a->end = p->seq + p->payload;
		a->sendings++;
		return false;
	}
	if (!a->sendings || p->ack != a->end)
		return false;
	a->at_ns = p->ns;
	a->pure = !p->payload;
	return true;
}

/* Bits of the flags, RFC 9293 section 3.1. */
#define FIN 0x01
#define SYN 0x02
#define ACK 0x10

static void from_server(struct net_handshake *h, const struct net_packet *p)
{
	if (p->flags & SYN) {
		h->answered = true;
		h->server_syn = p->seq;
	}
	if (p->flags & FIN) {
		h->finished = true;
		h->server_fin = p->seq + p->payload;
	}
}

bool net_handshake_see(void *arg, const struct net_packet *p)
{
	struct net_handshake *h = arg;

	if (p->port != h->port)
		return false;
	if (!p->to_server) {
		from_server(h, p);
		return false;
	}
	if (p->flags & SYN) {
		if (!h->syns++)
			h->syn_ns = p->ns;
		return false;
	}
	if (h->answered && !h->open_ns && p->flags & ACK &&
	    p->ack == h->server_syn + 1)
		h->open_ns = p->ns;
	if (p->flags & FIN && !h->fins++)
		h->fin_ns = p->ns;
	if (h->finished && h->fins && p->flags & ACK &&
	    p->ack == h->server_fin + 1)
		h->closed_ns = p->ns;
	return h->closed_ns;
}
