/* SPDX-License-Identifier: MIT */
#ifndef OP_COUNTS_JSON_H
#define OP_COUNTS_JSON_H

#include <jansson.h>

#include "op_counts.h"

/**
 * op_counts_json() - the key "counters" of a row (docs/results-format.md).
 * @base: of the baseline, which is subtracted; NULL if there is none.
 * @ops: operations in one iteration.
 */
json_t *op_counts_json(const struct op_counts *counts,
		       const struct op_counts *base,
		       const struct op_counter *counter, uint64_t iters,
		       double ops);

/**
 * op_counts_merge() - the objects of @n invocations in one: numbers become
 * their median, intervals are added up.  An event that no more than half of
 * them can give has no number, and one bound.  NULL if @n is 0.
 */
json_t *op_counts_merge(const json_t *const *objects, size_t n);

#endif
