/* SPDX-License-Identifier: MIT */
#ifndef VERDICT_H
#define VERDICT_H

#include "program.h"

/* What becomes of a case or of the program, and why: bench_fail(), bench_skip()
 * and, for the harness: */

/* verdict_skip() - @run is skipped, whatever it has.  verdict_unselect() - it
 * was not asked for. */
void verdict_skip(struct case_run *run, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void verdict_unselect(struct case_run *run);

/* bench_fail_cases() - the cases make no sense. */
void bench_fail_cases(struct bench *b, const char *why, const char *name);

/* verdict_give_up() - say why the program ends with @code, which it returns. */
int verdict_give_up(struct bench *b, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* verdict_end_all() - what ended the whole program ended each of its cases. */
void verdict_end_all(struct bench *b, bool skipped);

/*
 * Evidence (evidence.c) is of two kinds: proof that the operation happened, and
 * purity, that nothing else was in it.  Both are judged when a visit to a case
 * ends.  A visit that falls short gives back its samples.  Short of proof, the
 * case has failed in this invocation; short of purity, the visit is set aside
 * and made up for once.
 */

/* evidence_begin() - a visit to @run begins.  evidence_touch() - @run is about
 * to get a sample or evidence. */
void evidence_begin(struct bench *b, struct case_run *run);
void evidence_touch(struct bench *b, struct case_run *run);

/**
 * evidence_settle() - judge the visit that ends, or what was said since the
 * last one.
 * @current: the case visited; NULL between visits, where a shortfall takes all
 *	     that the case has.
 *
 * Return: whether the visit should be made up for.
 */
bool evidence_settle(struct bench *b, struct case_run *current);

/* evidence_conclude() - a case whose visits were all set aside is skipped, and
 * says why. */
void evidence_conclude(struct bench *b);

/* evidence_contradicted() - the proof that fell short, or NULL; also of what
 * is not settled yet. */
const struct evidence *evidence_contradicted(const struct case_run *run);

#endif
