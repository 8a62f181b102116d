/* SPDX-License-Identifier: MIT */
#ifndef NET_ACK_H
#define NET_ACK_H

#include "net_capture.h"

/*
 * A segment with data to the server and its acknowledgement.  Only an
 * acknowledgement without data is one that the other kernel has sent by
 * itself: one with data is the answer of the process.
 */
struct net_ack {
	uint16_t port;		 /* of the client; others are passed over */
	uint64_t sent_ns, at_ns; /* of the segment and of its acknowledgement */
	uint32_t end;		 /* the number after the segment */
	unsigned int sendings;	 /* 1, or nobody knows which was meant */
	bool pure;		 /* the acknowledgement had no data */
};

/* net_ack_see() - for a struct net_ack.  The last one acknowledges. */
net_see_fn net_ack_see;

#endif
