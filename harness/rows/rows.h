/* SPDX-License-Identifier: MIT */
#ifndef ROWS_H
#define ROWS_H

#include "op_counts.h"
#include "result.h"

struct bench;
struct case_run;

/* rows_make() - the row of one case. */
void rows_make(const struct bench *b, const struct case_run *run,
	       struct result *row);

/* Its keys "evidence", with facts, and "set_aside", JSON null if nothing was.
 */
json_t *rows_evidence(const struct case_run *run);
json_t *rows_set_aside(const struct case_run *run);

/**
 * op_counts_json() - its key "counters".
 * @base: of the baseline, which is subtracted; NULL if there is none.
 * @ops: operations in one iteration.
 */
json_t *op_counts_json(const struct op_counts *counts,
		       const struct op_counts *base,
		       const struct op_counter *counter, uint64_t iters,
		       double ops);

/**
 * op_counts_merge() - those of @n rows in one: numbers become their median,
 * intervals are added up.  An event that no more than half of them can give has
 * no number, and one bound.  NULL if no row has any.
 */
json_t *op_counts_merge(const struct result *const *rows, size_t n);

#endif
