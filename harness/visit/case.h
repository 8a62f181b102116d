/* SPDX-License-Identifier: MIT */
#ifndef CASE_H
#define CASE_H

#include "program.h"

/* Cases as the program adds them, and what it says of them: for the rest of the
 * harness. */

/* bench_case_of() - the private part behind a case handed to a benchmark. */
struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c);

/* bench_add_point() - as bench_add(), but @c has its data; bench_new_data() -
 * zeroed state of one case, on cache lines of its own, NULL if it has none. */
const struct bench_case *bench_add_point(struct bench *b,
					 const struct bench_case *c);
void *bench_new_data(struct bench *b);

/* case_give_back() - @run has what it had at @to, and no derived value. */
void case_give_back(struct case_run *run, const struct case_mark *to);

/* cases_free() - the cases and what was seen of them. */
void cases_free(struct bench *b);

#endif
