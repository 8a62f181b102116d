/* SPDX-License-Identifier: MIT */
#ifndef NET_HANDSHAKE_H
#define NET_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "net_packet.h"

/*
 * Set-up and teardown of one TCP connection in captured packets, as the CSE
 * 221 report has them (section 5.4): from the first SYN to the client's
 * acknowledgement of the server's, and from the client's FIN to its
 * acknowledgement of the server's.
 */
struct net_handshake {
	uint64_t syn_ns, open_ns, fin_ns, closed_ns;
	unsigned int syns, fins; /* that the client sent: 1 each, or again */
	uint32_t server_syn, server_fin;
	bool answered, finished; /* the server's SYN, FIN was seen */
};

/* net_handshake_see() - the next packet of this connection.  Return: whether
 * the last one was seen. */
bool net_handshake_see(struct net_handshake *h, const struct net_packet *p);

#endif
