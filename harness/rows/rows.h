/* SPDX-License-Identifier: MIT */
#ifndef ROWS_H
#define ROWS_H

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

#endif
