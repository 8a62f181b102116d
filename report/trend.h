/* SPDX-License-Identifier: MIT */
#ifndef TREND_H
#define TREND_H

#include "load.h"

/**
 * trend_mark() - find the rows of @run whose values rise or fall with the
 * rounds, by Kendall's exact test; of those that are called, 5 % at most are
 * called wrongly (false discovery rate over all rows).  What moves by no more
 * than another run may differ by (grade.h), or by no more than grade A allows,
 * is none.
 *
 * Such a row gets "trend" {from, to: values of the first and the last round; p:
 * adjusted}, and loses its interval: that is for rounds that are alike.
 */
void trend_mark(struct run *run);

/* trend_text() - "6.60 → 22.9 µs", NULL if there is no trend. */
const char *trend_text(const struct result *r);

#endif
