/* SPDX-License-Identifier: MIT */
#include "net_ack.h"

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
