/* SPDX-License-Identifier: MIT */
#ifndef PLAIN_H
#define PLAIN_H

#include <sched.h>
#include <time.h>

/* The plain programs share this, and on purpose nothing of the suite. */

/* now() - ns since some moment. */
static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ascending() - of two doubles, for qsort(). */
static inline int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* pin() - to @cpu alone.  Return: 0, or -1 where that cannot be. */
static inline int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

#endif
