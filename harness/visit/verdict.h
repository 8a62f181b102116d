/* SPDX-License-Identifier: MIT */
#ifndef VERDICT_H
#define VERDICT_H

#include "program.h"

/* What becomes of a case or of the program, and why: bench_fail(), bench_skip()
 * and, for the harness: */

/* verdict_skip() - @run is skipped, whatever it has. */
void verdict_skip(struct case_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* verdict_unselect() - it was not asked for. */
void verdict_unselect(struct case_run *run);

/* bench_fail_cases() - the cases make no sense. */
void bench_fail_cases(struct bench *b, const char *why, const char *name);

/* verdict_give_up() - say why the program ends with @code, which it returns. */
int verdict_give_up(struct bench *b, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* verdict_end_all() - what ended the whole program ended each of its cases. */
void verdict_end_all(struct bench *b, bool skipped);

#endif
