/* SPDX-License-Identifier: MIT */
#ifndef FLOW_H
#define FLOW_H

#include "ring.h"

/*
 * A flow: a process sends messages one after the other without end, and the
 * measuring one receives them and notes where it is after each FLOW_SPAN_NS.
 */
struct flow_stamp { /* @bytes received at @ticks */
	uint64_t ticks, bytes;
	double waited_ns; /* since the one before: partner_waited() */
};

#define FLOW_STAMPS  1024
#define FLOW_SPAN_NS 2e6 /* from one stamp to the next, at least */

struct flow {		  /* all zero: closed */
	struct ring ring; /* way and size are set by the caller */
	struct partner source;
	struct flow_source {
		_Atomic uint32_t stop;
		int cpu;       /* where it ran, at its end */
		uint64_t sent; /* messages, the same */
	} * shared;
	const struct timer *timer;
	uint32_t wanted; /* stamps; FLOW_STAMPS at most */
	struct flow_stamp stamp[FLOW_STAMPS];
	uint64_t received;	 /* messages */
	uint64_t checked, right; /* bytes of which the pattern was looked at */
};

/**
 * flow_begin() - start the source on @cpu, and receive until @wanted stamps
 * were made, the first when the first messages have come.  The flow stands
 * then.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int flow_begin(struct bench *b, struct flow *f, uint32_t wanted, int cpu);

/* flow_end() - stop the source, and receive all that is still to come: then
 * there are the counts.  Return: 0 or bench_fail(). */
int flow_end(struct bench *b, struct flow *f);

/* flow_close() - one that is closed is fine. */
void flow_close(struct flow *f);

#endif
