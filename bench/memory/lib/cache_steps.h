/* SPDX-License-Identifier: MIT */
#ifndef CACHE_STEPS_H
#define CACHE_STEPS_H

/*
 * Where a curve of latencies steps up from hits to misses.  A latency that is
 * not finite is a gap: what lies beyond it is not known.
 */

/* cache_steps_gap() - the first gap from @from on in @ns of @n; @n: none. */
int cache_steps_gap(const double *ns, int from, int n);

/**
 * cache_steps_line() - the first of @n latencies, 3 at least and without a
 * gap, on the upper side of the one step.  All must be on their side of it:
 * half of the way from the first to the lower of the last two.
 *
 * Return: its index; 0 if there is no step; -n if those from n on are not all
 * on the upper side.
 */
int cache_steps_line(const double *ns, int n);

/**
 * cache_steps_ways() - how many lines of one set still fit.  @ns[i] is for i +
 * 1 lines, @n of them; those from @from on have no gap.
 *
 * Return: the last number of lines, @from + 1 at least, before three in a row
 * take more than @step times the fastest of the @count from @from on; 0 if all
 * fit.  One may be noise, three are not.
 */
int cache_steps_ways(const double *ns, int from, int count, int n, double step);

#endif
