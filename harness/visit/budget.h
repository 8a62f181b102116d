/* SPDX-License-Identifier: MIT */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>

/*
 * Dividing the time of an invocation among its cases, so that the sum of their
 * relative errors becomes least, each counted by its weight.  A case whose
 * samples cost c and scatter by s has, after n of them, an error of s /
 * sqrt(n): the sum of w s / sqrt(n) is least, for a given sum of c n, where n
 * grows with (w s / c) to the power of 2/3.
 */

/* The error of a core row counts as much as that of so many others. */
#define BUDGET_CORE 3.0

struct budget_case {
	double weight;
	double visit_ns;  /* what a visit takes besides the samples */
	double sample_ns; /* what one sample takes */
	double spread;	  /* of one sample, relative; NAN: not known */
	double samples;	  /* that there are */
	double time_ns;	  /* out: for more samples, in all visits; or 0 */
};

/* budget_share() - share in the time, relative to others, of a case of which
 * nothing is known but its weight. */
double budget_share(double weight);

/**
 * budget_divide() - divide @left_ns, in which each case can be visited @visits
 * times: it gets a sample in each visit, or no visit.
 *
 * The spread of a few samples is not well known: it counts as the geometric
 * mean of it and of the median of all.
 */
void budget_divide(struct budget_case *cases, size_t n, double left_ns,
		   unsigned int visits);

#endif
