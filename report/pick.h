/* SPDX-License-Identifier: MIT */
#ifndef PICK_H
#define PICK_H

#include "load.h"

/* run_pick() - the row of @program that the first of the space-separated @globs
 * matches; one without a result only if none of them matches one that has.
 * Return: it, or NULL. */
const struct row *run_pick(const struct run *run, const char *program,
			   const char *globs);

#endif
