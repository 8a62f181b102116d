/* SPDX-License-Identifier: MIT */
#include "net_handshake.h"

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
