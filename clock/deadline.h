/* SPDX-License-Identifier: MIT */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/*
 * How long to go on waiting for something that is bound to come.  Told by the
 * clock and not by looks, for the CPU may be taken away between two of them:
 * so let it be long, for it is only waited out when there is a defect.
 */

/* deadline_now_ms() - CLOCK_MONOTONIC; nothing is measured with it. */
static inline int64_t deadline_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* deadline_in() - the moment in @ms milliseconds (not below 0). */
static inline int64_t deadline_in(int64_t ms)
{
	return deadline_now_ms() + ms;
}

/* deadline_passed() - whether @deadline, of deadline_in(), is over. */
static inline bool deadline_passed(int64_t deadline)
{
	return deadline_now_ms() >= deadline;
}

#endif
