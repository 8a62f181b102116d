/* SPDX-License-Identifier: MIT */
#ifndef OP_COUNTS_H
#define OP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "sample.h"

/*
 * --counters: what the measuring thread's counters saw of each operation.
 * The counters are read around a batch or an event, outside its timed
 * interval.  Counts of the reading itself are taken out: for batches because n
 * operations are compared with 2n, for events because empty pairs are
 * counted between them, with the caches as the events left them.
 */
struct op_counter {
	struct counters *c; /* of the calling thread */
	double pair_ns;	    /* median time of a pair of readings */
};

/* Intervals around which the counters are read. */
enum op_interval {
	OP_BRIEF,  /* n operations, or an event */
	OP_LONGER, /* 2n operations */
	OP_EMPTY,  /* nothing: a pair of readings */
	OP_INTERVALS
};

/* Counts of one case (or of its baseline).  All zero is none. */
struct op_counts {
	struct sample_vec of[OP_INTERVALS][COUNTERS_EVENTS];
	double total[COUNTERS_EVENTS], ops[COUNTERS_EVENTS];
	double least_share; /* of the time that an event had a counter */
	size_t intervals;
};

/* op_counter_begin(), op_counter_end() - around one batch or event of @iters
 * operations; nothing if @counter is NULL.  @counts: where to keep it; NULL if
 * this interval does not count.  op_counter_empty() - a pair around nothing,
 * one for each event.  Return, as op_counter_open(): 0 or -errno. */
int op_counter_open(struct op_counter *counter);
void op_counter_close(struct op_counter *counter);
int op_counter_begin(const struct op_counter *counter);
int op_counter_end(const struct op_counter *counter, struct op_counts *counts,
		   uint64_t iters, enum op_interval interval);
int op_counter_empty(const struct op_counter *counter,
		     struct op_counts *counts);

/* op_counts_add() - keep one interval.  op_counts_restore() - forget what
 * @counts got since @before was copied from it. */
void op_counts_add(struct op_counts *counts, const struct counters_counts *k,
		   uint64_t iters, enum op_interval interval);
void op_counts_restore(struct op_counts *counts,
		       const struct op_counts *before);
void op_counts_free(struct op_counts *counts);

/**
 * op_counts_get() - events of one operation.
 * @iters: n of the shorter batch; 0 if these are single events.
 *
 * Hardware events and CPU time of batches: the difference of the medians of
 * 2n and of n, over n; of single events: the median less that of empty
 * pairs.  Faults, switches and migrations are rare, and are told exactly: all
 * that were counted over all operations.
 */
struct op_count {
	double value;	   /* for one operation; NAN if not known */
	double resolution; /* least that can be measured; NAN if
			    * @value is exact */
};
struct op_count op_counts_get(const struct op_counts *counts,
			      enum counters_event event, uint64_t iters);

#endif
