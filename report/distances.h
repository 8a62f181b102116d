/* SPDX-License-Identifier: MIT */
#ifndef DISTANCES_H
#define DISTANCES_H

#include "load.h"

/**
 * distances_mark() - find the rows of @run whose two levels (grade.h) go with
 * the distance of the two CPUs that a row was measured on: Mann and Whitney's
 * exact test of the distances in the rounds of the one level and of the other;
 * of those that are called, 5 % at most are called wrongly (false discovery
 * rate over all rows that have levels and distances).
 *
 * Such a row gets "low_distance_ns" and "high_distance_ns" in "states": the
 * medians in the rounds of each level.
 */
void distances_mark(struct run *run);

/* distances_text() - what they were, for the end of a sentence,
 * NULL if the levels of @r do not go with them. */
const char *distances_text(const struct result *r);

#endif
