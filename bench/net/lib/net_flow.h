/* SPDX-License-Identifier: MIT */
#ifndef NET_FLOW_H
#define NET_FLOW_H

#include <stdint.h>

#include "net_client.h"

/*
 * A flow of messages to net_server that does not stop: the server says, once in
 * a span of its clock, how many bytes it has got; what has been said is read
 * between messages, and nobody waits for it.
 */
#define NET_FLOW_STREAMS 4

struct net_flow_plan {
	bool sendfile; /* out of the page cache, not copied from memory */
	uint32_t size; /* of a message, at most NET_MAX_SINK */
	unsigned int streams;
	double span_ns;	   /* from report to report */
	double warm_up_ns; /* the flow goes on for so long at first */
};

struct net_stream {
	struct net_client client;
	uint64_t taken;		    /* bytes that the connection took */
	struct net_report from, to; /* a span, between two reports */
};

struct net_flow {
	struct bench *b;
	unsigned char *buf; /* a message, of the greatest size so far */
	size_t room;	    /* bytes of it */
	int file;	    /* the same in the page cache */
	struct net_flow_plan plan;
	struct net_stream stream[NET_FLOW_STREAMS];
	unsigned int streams; /* that are open */
	uint64_t moment;      /* of the server's clock: see net_flow_rate() */
};

/* net_flow_open() - no connection yet.  Return: 0 or bench_fail(). */
int net_flow_open(struct net_flow *f, struct bench *b);

/**
 * net_flow_begin() - connect to @host as @plan has it, and send until the flow
 * has found its speed.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int net_flow_begin(struct net_flow *f, const struct net_host *host,
		   const struct net_flow_plan *plan);

/* net_flow_send() - messages for some tenths of a ms at least.
 * Return: 0 or bench_fail(). */
int net_flow_send(struct net_flow *f);

/**
 * net_flow_rate() - bytes a second that the server received in the span that
 * holds the next moment, of all streams.  Moments are span_ns apart, so that a
 * span that lasts longer counts as often as it is longer, and the mean is all
 * bytes by all the time.
 * @rate: 0 if that span has not been reported yet.
 *
 * Return: 0 or bench_fail().
 */
int net_flow_rate(struct net_flow *f, double *rate);

/* net_flow_finish() - send no more, and wait for the server's last count.
 * Return: as above. */
int net_flow_finish(struct net_flow *f);

/* net_flow_total() - of all streams: bytes that the connections took, bytes
 * that the server has counted by its last reports, segments that were sent
 * again. */
struct net_flow_total {
	uint64_t taken, counted, again;
};

struct net_flow_total net_flow_total(const struct net_flow *f);

/* net_flow_end() - hang up; net_flow_close() - any state is fine. */
void net_flow_end(struct net_flow *f);
void net_flow_close(struct net_flow *f);

#endif
