/* SPDX-License-Identifier: MIT */
#ifndef NET_FLOW_H
#define NET_FLOW_H

#include <stdint.h>

#include "net_client.h"

/*
 * A flow of messages to net_server that does not stop: blocks of messages go
 * out one after the other, the server says after each block how many bytes it
 * has got, and the next block is always sent before that is read.
 */
#define NET_FLOW_STREAMS 4

struct net_flow_plan {
	bool sendfile; /* out of the page cache, not copied from memory */
	uint32_t size; /* of a message, at most NET_MAX_SINK */
	unsigned int streams;
	double block_ns;      /* about what a block of all streams takes */
	uint64_t block_bytes; /* but no less of each stream */
	double warm_up_ns;    /* the flow goes on for so long at first */
};

struct net_flow {
	struct bench *b;
	unsigned char *buf; /* a message, of the greatest size so far */
	size_t room;	    /* bytes of it */
	int file;	    /* the same in the page cache */
	struct net_client client[NET_FLOW_STREAMS];
	struct net_flow_plan plan;
	unsigned int streams; /* that are open */
	uint64_t messages;    /* in a block of each stream */
	uint64_t sent;	      /* blocks */
	uint64_t taken;	      /* bytes that the connections took */
	uint64_t reported;
	uint64_t counted[NET_FLOW_STREAMS]; /* bytes, by the last report */
	uint64_t at_ns;	  /* when the last of them was made, server's clock */
	uint64_t mark_ns; /* of net_flow_rate() */
	uint64_t mark_reported;
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

/* net_flow_step() - send the next block, and read the reports of the one
 * before.  Return: 0 or bench_fail(). */
int net_flow_step(struct net_flow *f);

/* net_flow_finish() - wait for the reports of all that was sent.
 * Return: as above. */
int net_flow_finish(struct net_flow *f);

/* net_flow_rate() - bytes a second that the server has received since the last
 * call that gave some, by its own clock: the client may have been held up.
 * Return: 0 if that was too short a time; the next call will tell of it too. */
double net_flow_rate(struct net_flow *f);

/* net_flow_block() - bytes of a block, of all streams. */
uint64_t net_flow_block(const struct net_flow *f);

/* net_flow_counted() - bytes that the server has reported, of all streams. */
uint64_t net_flow_counted(const struct net_flow *f);

/* net_flow_again() - segments that were sent again, of all streams. */
uint64_t net_flow_again(const struct net_flow *f);

/* net_flow_end() - hang up; net_flow_close() - any state is fine. */
void net_flow_end(struct net_flow *f);
void net_flow_close(struct net_flow *f);

#endif
