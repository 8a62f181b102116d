/* SPDX-License-Identifier: MIT */
#ifndef CONTRADICTIONS_H
#define CONTRADICTIONS_H

#include "load.h"

/*
 * What two programs of a run say of the same thing, and cannot both be right.
 */

/* contradictions_add() - a note for each.  The third cache: its loads are
 * clearly faster than memory's in mem_latency, and its bytes in mem_bandwidth,
 * or neither. */
void contradictions_add(struct run *run);

#endif
