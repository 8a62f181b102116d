/* SPDX-License-Identifier: MIT */
#ifndef COPIES_H
#define COPIES_H

#include "bench.h"

/*
 * --cpus: the operation of any program on several CPUs at once.
 *
 * It stands between the harness and the program: to the harness it is a program
 * whose events are windows of time, in which all copies are at work.  A copy is
 * a process, or a thread of one process, that is pinned to a CPU of its own and
 * goes through the life of the program: state, cases, setup, visit, teardown.
 *
 * A window opens when every copy has done a batch (or event), and closes when
 * its time is over and all have done enough; what begins before or ends after
 * is not counted, and all go on until it is closed.  So the copies are at
 * work together in all that is counted, whoever started first or is slower.
 */

#define COPIES_MOST 512

/* copies_counts() - whether @cpus says how many: "1,2,4,all", each at most
 * COPIES_MOST; "all" are those that this process may use. */
bool copies_counts(const char *cpus);

/**
 * copies_wrap() - measure copies of *@desc instead.
 * @cpus: how many; copies_counts().
 * @desc, @state: those of the program, its options filled in; they get those
 * of the copies.
 */
void copies_wrap(const char *cpus, const struct bench_desc **desc,
		 void **state);

#define COPIES_COUNTS 32 /* numbers of copies, at most */

/* copies_fit() - the line through @n points gives intercept, slope and R2 to
 * @line; fewer than three make none. */
void copies_fit(struct bench *b, const struct bench_case *const line[3],
		const double *x, const double *y, size_t n);

#endif
