/* SPDX-License-Identifier: MIT */
#ifndef NET_HANDSHAKE_H
#define NET_HANDSHAKE_H

#include "net_capture.h"

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
