/* SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_H
#define EVIDENCE_H

#include <stdbool.h>

/*
 * Evidence is of two kinds: proof that the operation happened, and purity,
 * that nothing else was in it.  Both are judged when a visit to a case ends.
 * A visit that falls short gives back its samples.  Short of proof, the case
 * has failed in this invocation; short of purity, the visit is set aside and
 * made up for once.
 */
struct bench;
struct case_run;
struct evidence;

/* evidence_begin() - a visit to @run begins. */
void evidence_begin(struct bench *b, struct case_run *run);

/* evidence_touch() - @run is about to get a sample or evidence. */
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
