/* SPDX-License-Identifier: MIT */
#ifndef HEADLINE_H
#define HEADLINE_H

#include "program.h"

/* The headline and what it could have told from nothing, both in ticks of one
 * operation, or in the case's own unit. */
struct headline {
	double value, resolution, constant, baseline;
	bool ticks;
};

/* headline_find() - of what @run has; NAN: nothing.  headline_is_below() -
 * whether it cannot be told from nothing. */
void headline_find(const struct bench *b, const struct case_run *run,
		   struct headline *h);
bool headline_is_below(const struct headline *h);

/* headline_samples() - all samples in ticks of one operation (overhead and
 * @constant taken out), or in the own unit; *@n of them.  NULL if there are
 * none. */
double *headline_samples(const struct bench *b, const struct case_run *run,
			 double constant, size_t *n);

/* How it is made: whether of batches, by which estimator; of how many
 * operations, with which overhead in every event (ticks); ticks of one
 * operation in the case's unit; and @x of @h, ticks or not, the same. */
bool headline_is_repeated(const struct case_run *run);
enum bench_estimator headline_estimator(const struct case_run *run);
double headline_ops(const struct case_run *run);
double headline_overhead(const struct bench *b, const struct case_run *run);
double headline_in_unit(const struct bench *b, const struct case_run *run,
			double ticks);
double headline_figure(const struct bench *b, const struct case_run *run,
		       const struct headline *h, double x);

#endif
