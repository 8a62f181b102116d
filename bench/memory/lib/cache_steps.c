/* SPDX-License-Identifier: MIT */
#include "cache_steps.h"

#include <math.h>

/* A plateau's noise is less, a miss in L1 is 3 times as long. */
#define LINE_STEP 1.15

int cache_steps_gap(const double *ns, int from, int n)
{
	int i = from;

	while (i < n && isfinite(ns[i]))
		i++;
	return i;
}

int cache_steps_line(const double *ns, int n)
{
	const double near = ns[0];
	const double far = fmin(ns[n - 2], ns[n - 1]);
	const double half = (near + far) / 2;
	int line = 0;

	if (far <= near * LINE_STEP)
		return 0;
	while (ns[line] <= half)
		line++;
	for (int i = line; i < n; i++)
		if (ns[i] <= half)
			return -line;
	return line;
}

int cache_steps_ways(const double *ns, int from, int count, int n, double step)
{
	double base = INFINITY;

	for (int i = from; i < from + count && i < n; i++)
		base = fmin(base, ns[i]);
	for (int i = from + 1; i + 2 < n; i++)
		if (ns[i] > base * step && ns[i + 1] > base * step &&
		    ns[i + 2] > base * step)
			return i;
	return 0;
}
