/* SPDX-License-Identifier: MIT */
#ifndef NET_STAMP_H
#define NET_STAMP_H

#include <stdint.h>

#include "net_client.h"

/*
 * The kernel's own time stamps of a message (SO_TIMESTAMPING, in software):
 * when it was handed to the network driver, and when the answer came from it.
 * They are of CLOCK_REALTIME, which is why that is read here too.
 *
 * Source: Documentation/networking/timestamping.rst of the Linux kernel.
 */
struct net_stamps {
	uint64_t begin_ns; /* before send() */
	/* 0: the kernel gave none */
	uint64_t out_ns; /* the last byte went to the driver */
	uint64_t in_ns;	 /* the answer came from the driver */
	uint64_t end_ns; /* after recv() */
};

/**
 * net_stamp_begin() - have stamps on socket @fd, and wait until they come: the
 * kernel begins some time after the first socket has asked for them.
 *
 * Return: how many answers that took; -EOPNOTSUPP if the kernel does not
 * know them, -ENODATA if answers came without, or as net_stamp_trip().
 */
int net_stamp_begin(struct net_client *c, int fd);

/**
 * net_stamp_trip() - one message of one byte there and back on socket @fd.
 *
 * Return: 0, or as net_client_receive(); -EBADMSG if the answer by TCP is not
 * what was sent; -ETIMEDOUT if a datagram was lost.
 */
int net_stamp_trip(struct net_client *c, int fd, uint8_t number,
		   struct net_stamps *stamps);

#endif
