/* SPDX-License-Identifier: MIT */
#ifndef NET_ACKED_H
#define NET_ACKED_H

#include <stdint.h>

#include "net_capture.h"
#include "net_client.h"

/*
 * One byte there and back, with its packets: when the process called and had
 * its answer, and when the segment and its acknowledgement passed.  All of one
 * clock, the kernel's for packets.
 */
struct net_acked {
	uint64_t begin_ns; /* before send() */
	uint64_t sent_ns;  /* the segment */
	uint64_t ack_ns;   /* the other kernel's acknowledgement */
	uint64_t end_ns;   /* after recv() */
};

/*
 * A kernel that has been asked to acknowledge at once does so for 16 segments
 * of a connection; later it is the server that makes it, when it asks again
 * after having been woken up.  One of them is the greeting.
 * Source: TCP_MAX_QUICKACKS of the Linux kernel, net/ipv4/tcp_input.c.
 */
#define NET_ACKED_TRIPS 12

/**
 * net_acked_trip() - one byte, to a session of NET_ACK.
 * @inside: the other kernel is this one, and acknowledges before send() has
 *	    returned.
 *
 * Return: 0, or as net_client_receive(); -EBADMSG if the answer is not what was
 * sent; -ENOMSG if the packets were not captured; -ENODATA if they tell
 * nothing: the segment was sent twice; or the server had a part in the
 * acknowledgement, for it carried the answer or, @inside, came too late.
 */
int net_acked_trip(struct net_client *c, struct net_capture *cap,
		   uint8_t number, bool inside, struct net_acked *t);

#endif
