/* SPDX-License-Identifier: MIT */
#ifndef SUPERVISE_H
#define SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result.h"

/*
 * The process that the user started.  It measures nothing: it starts fresh
 * processes of the same program, one after the other, each with its own
 * size of environment, collects their rows, and removes what a process that
 * was killed could not remove itself.
 */
struct supervise_plan {
	char *const *argv;
	unsigned int invocations;
	uint64_t seed;
	double tsc_hz; /* measured once for all */
	bool progress; /* say on stderr how far it is */
};

/* What an invocation learns from its supervisor, through the environment. */
struct supervise_orders {
	uint64_t seed;
	int guard_fd;
	unsigned int number; /* the first is 0 */
};

/* supervise_orders() - whether this process is an invocation; fills @orders
 * and removes them from the environment. */
bool supervise_orders(struct supervise_orders *orders);

/**
 * supervise_run() - run all invocations.
 * @rows, @n: the aggregated rows, also after a failure or an interruption
 *	      (then of the invocations that ended well); caller frees.
 *
 * An invocation that skips all its rows ends the run if it is the first: a need
 * is not met.  A later one does not; its rows are aggregated with the others.
 *
 * Return: an exit code (err.h), or 128 + the signal that stopped it.  With
 * EXIT_SKIP all of @rows are skipped, or there are none.
 */
int supervise_run(const struct supervise_plan *plan, struct result **rows,
		  size_t *n);

#endif
