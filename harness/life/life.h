/* SPDX-License-Identifier: MIT */
#ifndef LIFE_H
#define LIFE_H

#include "program.h"
#include "result.h"

/*
 * The process that the user started is the supervisor.  It measures nothing: it
 * starts fresh processes of the same program, one after the other, each with
 * its own size of environment, collects their rows, and removes what a process
 * that was killed could not remove itself.
 */

/* supervise_orders() - whether this process is an invocation: then @plan gets
 * what its supervisor said through the environment. */
bool supervise_orders(struct invocation_plan *plan);

/**
 * supervise_run() - run all invocations of @plan, as @argv.
 * @rows, @n: the aggregated rows, also after a failure or an interruption
 *	      (then of the invocations that ended well).
 *
 * An invocation that skips all its rows ends the run if it is the first: a need
 * is not met.  A later one does not; its rows are aggregated with the others.
 *
 * Return: an exit code (err.h), or 128 + the signal that stopped it.  With
 * EXIT_SKIP all of @rows are skipped, or there are none.
 */
int supervise_run(char *const *argv, const struct invocation_plan *plan,
		  struct result **rows, size_t *n);

/*
 * One invocation, in this process.  Each returns an exit code; on other than
 * EXIT_OK @b->verdict.why says why.
 *
 * invocation_open() - make @b ready: topology, CPU, cases, those of --case and
 * --core.  Nothing is measured and nothing pinned yet.
 * invocation_measure() - pin, calibrate, set up, sample, derive, tear down.
 */
int invocation_open(struct bench *b, const struct bench_desc *desc, void *state,
		    const struct invocation_plan *plan);
int invocation_measure(struct bench *b);

#endif
