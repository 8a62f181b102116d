/* SPDX-License-Identifier: MIT */
#ifndef INVOCATION_H
#define INVOCATION_H

#include "program.h"

/* One execution of a benchmark in this process, from its beginning to its end.
 */

/**
 * invocation_open() - make @b ready for cases(): topology, CPU, list of cases.
 * Nothing is measured and nothing pinned yet.
 *
 * Return: an exit code (err.h); on other than EXIT_OK @b->verdict.why says why.
 */
int invocation_open(struct bench *b, const struct bench_desc *desc, void *state,
		    const struct invocation_plan *plan);

/* invocation_select() - apply --case and --core.  Return: EXIT_OK, EXIT_USAGE
 * if a glob matches nothing, EXIT_SKIP if there is no core row. */
int invocation_select(struct bench *b);

/* invocation_measure() - pin, calibrate, set up, sample, derive, tear down.
 * Return: EXIT_OK, or an exit code with @b->verdict.why set. */
int invocation_measure(struct bench *b);

#endif
