/* SPDX-License-Identifier: MIT */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* clock_now_ns() - what a clock of the kernel's shows, or has counted of a
 * task; -1: there is none such.  Samples are timed by timer.h. */
static inline int64_t clock_now_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts)
		       ? -1
		       : (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * How long to go on waiting for something that is bound to come.  Told by the
 * clock and not by looks, for the CPU may be taken away between two of them:
 * so let it be long, for it is only waited out when there is a defect.
 */

/* deadline_in() - the moment in @ms milliseconds (not below 0). */
static inline int64_t deadline_in(int64_t ms)
{
	return clock_now_ns(CLOCK_MONOTONIC) / 1000000 + ms;
}

/* deadline_passed() - whether @deadline, of deadline_in(), is over. */
static inline bool deadline_passed(int64_t deadline)
{
	return deadline_in(0) >= deadline;
}

#endif
