/* SPDX-License-Identifier: MIT */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "child.h"
#include "facts.h"
#include "settings.h"
#include "target.h"

/* The signals that end the sampling, and a child's end: they must be blocked
 * before sampler_run(), which reads them. */
void sampler_signals(sigset_t *set);

/**
 * sampler_run() - sample until it is over, write rows and the summary.
 * @child: a prepared command that is let go after the first reading, or NULL.
 *
 * Return: the status to exit with.  If that is 126 or 127 the command could
 * not be run; a command that runs is never left behind.
 */
int sampler_run(const struct facts *facts, struct target *target,
		struct child *child);

#endif
