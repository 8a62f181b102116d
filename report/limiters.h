/* SPDX-License-Identifier: MIT */
#ifndef LIMITERS_H
#define LIMITERS_H

#include "load.h"
#include "operations.h"

/*
 * What limits an operation may depend on the row that measured it, and on the
 * other figures of the run.
 */

/**
 * limiters_say() - what limited @op where @row measured it.
 *
 * The first limiter of @op counts whose pattern @row matches and whose
 * comparison holds from one end of its 95 % interval to the other; a figure
 * that the run does not have, or has no interval for, holds nothing.
 *
 * Return: it, with the figure that was compared in brackets; NULL if
 * nothing was measured (@row is NULL or has no result) or nothing is known.
 */
const char *limiters_say(const struct operation *op, const struct run *run,
			 const struct row *row);

/* limiters_list() - those that hold without a look at figures, one line each:
 * "# usually limited by: ...". */
void limiters_list(FILE *f, const struct operation *op);

#endif
