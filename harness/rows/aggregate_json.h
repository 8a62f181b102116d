/* SPDX-License-Identifier: MIT */
#ifndef AGGREGATE_JSON_H
#define AGGREGATE_JSON_H

#include <stddef.h>

#include "result.h"

/* What rows hold as JSON, of many invocations in one row: private to
 * aggregate.c. */

typedef const struct result *const *rows_t;

/* aggregate_objects() - evidence, facts, tags, histogram and counters.
 * Return: 0 or -ENOMEM. */
int aggregate_objects(struct result *out, rows_t rows, size_t n);

/* aggregate_set_aside() - what is no part of @out: visits, and invocations that
 * failed where @out did not or shared their core.  Of all @n invocations.
 * Return: 0 or -ENOMEM. */
int aggregate_set_aside(struct result *out, rows_t rows, size_t n);

/* aggregate_tail() - p90 to p999 of single events from @out's own samples and
 * histogram: each invocation alone has too few of them, and the median of
 * their greatest is no percentile. */
void aggregate_tail(struct result *out);

#endif
