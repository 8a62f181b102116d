/* SPDX-License-Identifier: MIT */
#ifndef FLOW_H
#define FLOW_H

#include "ring.h"

/*
 * A flow: a process sends messages one after the other without end, and another
 * one, on the measuring CPU, receives them and notes where it is after each
 * FLOW_SPAN_NS of its clock.
 */
struct flow_stamp { /* @bytes received at @ticks of the sink's clock */
	uint64_t ticks, bytes;
	double waited_ns; /* since the one before: partner_waited() */
};

#define FLOW_STAMPS  1024
#define FLOW_SPAN_NS 2e6 /* from one stamp to the next, at least */

/* What a side says of itself, at its end. */
struct flow_report {
	int cpu;		 /* where it runs */
	uint64_t sent, received; /* messages */
	uint64_t bytes;		 /* received */
	uint64_t checked, right; /* bytes of which the pattern was looked at */
};

struct flow_shared {
	_Alignas(64) _Atomic uint32_t stop;
	_Atomic uint32_t there; /* all stamps are made */
	uint32_t wanted;	/* stamps; FLOW_STAMPS at most */
	struct flow_stamp stamp[FLOW_STAMPS];
	struct flow_report source, sink;
};

struct flow {		  /* all zero: closed */
	struct ring ring; /* way and size are set by the caller */
	struct flow_shared *shared;
	struct partner source, sink;
	const struct timer *timer;
};

/**
 * flow_begin() - start both sides, the source on @cpu, and wait until @wanted
 * stamps were made, the first when the sink begins.  Nobody wakes up meanwhile:
 * on the sink's CPU that would change the pace of the flow for some ms.  The
 * flow goes on.
 *
 * Return: 0, bench_fail() or bench_skip().
 */
int flow_begin(struct bench *b, struct flow *f, uint32_t wanted, int cpu);

/* flow_end() - stop the source, and let the sink receive all that is still to
 * come: then there are reports.  Return: 0 or bench_fail(). */
int flow_end(struct bench *b, struct flow *f);

/* flow_close() - one that is closed is fine. */
void flow_close(struct flow *f);

#endif
