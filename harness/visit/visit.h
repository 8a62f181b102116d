/* SPDX-License-Identifier: MIT */
#ifndef VISIT_H
#define VISIT_H

#include "program.h"

/* Visits to a case that is interleaved, at most. */
#define VISIT_PASSES 4

/* visit_cases() - visit all cases that are asked for, several times each and
 * in random order, and sample them (passes.c). */
void visit_cases(struct bench *b);

/**
 * visit_divide() - set time_ns of the cases for @visits more, which may take
 * @left_ns in all, so that the sum of their relative errors becomes least, each
 * counted by its weight.
 *
 * A case whose samples cost c and scatter by s has, after n of them, an error
 * of s / sqrt(n): the sum of w s / sqrt(n) is least, for a given sum of c n,
 * where n grows with (w s / c) to the power of 2/3.  The spread of a few
 * samples is not well known: it counts as the geometric mean of it and of the
 * median of all.  A case gets a sample in each visit, or no visit.
 */
void visit_divide(struct bench *b, double left_ns, unsigned int visits);

/* The error of a core row counts as much as that of so many others. */
#define BUDGET_CORE 3.0

/* visit_case() - one visit.  For services/copies.c: visit_open() - what is
 * recorded from here on is one of @run, with @time_ns for its samples, up to
 * visit_close(). */
void visit_case(struct bench *b, struct case_run *run);
void visit_open(struct bench *b, struct case_run *run, double time_ns);
void visit_close(struct bench *b);

/* visit_repeats() - whether @run is timed in batches; visit_batch() - one of
 * @iters operations, raw ticks; visit_event() - the other kind: one event,
 * whose samples go to the cases. */
bool visit_repeats(const struct bench *b, const struct case_run *run);
int visit_batch(struct bench *b, struct case_run *run, uint64_t iters,
		uint64_t *ticks);
int visit_event(struct bench *b, struct case_run *run);

/**
 * visit_settle() - a visit is over: judge it.
 * @before: what was beside it at its begin; @b->now.beside: at its end.
 * @waits_known: time that a quota held back is among what samples are known to
 *		 have waited.  Else it may be in any: the visit is set aside.
 */
void visit_settle(struct bench *b, struct case_run *run,
		  const struct beside *before, bool waits_known);

/* visit_forget() - @run has no events any more.  visit_warming_up() - whether
 * what is done is part of no sample. */
void visit_forget(struct case_run *run);
void visit_warming_up(struct bench *b, bool on);

/* visit_moves - goes on with each batch and event: who waits for a partner has
 * patience anew. */
extern uint64_t visit_moves;

/* invocation_now_ns() - CLOCK_MONOTONIC, for budgets; nothing is measured
 * with it. */
uint64_t invocation_now_ns(void);

#endif
