/* SPDX-License-Identifier: MIT */
#include "net_acked.h"

#include <errno.h>

#include "wall_clock.h"

/* Until a packet that was sent has been captured. */
#define CAPTURE_MS 500

int net_acked_trip(struct net_client *c, struct net_capture *cap,
		   uint8_t number, bool inside, struct net_acked *t)
{
	struct net_ack ack = { .port = net_client_port(c) };
	unsigned char byte = number;
	uint64_t returned_ns;
	int err;

	net_capture_drain(cap);
	t->begin_ns = wall_clock_ns();
	err = net_client_send(c, &byte, 1);
	returned_ns = wall_clock_ns();
	if (err)
		return err;
	byte = (unsigned char)~number;
	err = net_client_receive(c, &byte, 1);
	t->end_ns = wall_clock_ns();
	if (err)
		return err;
	if (byte != number)
		return -EBADMSG;
	if (net_capture_ack(cap, CAPTURE_MS, &ack)) {
		err = net_client_check(c, EAGAIN);
		return err ? err : -ENOMSG;
	}
	t->sent_ns = ack.sent_ns;
	t->ack_ns = ack.at_ns;
	if (ack.sendings > 1 || !ack.pure ||
	    (inside && ack.at_ns > returned_ns))
		return -ENODATA;
	return 0;
}
