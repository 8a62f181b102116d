/* SPDX-License-Identifier: MIT */
#ifndef CORE_SHARE_H
#define CORE_SHARE_H

#include "timer.h"

/*
 * How much of its core a hardware thread gets.
 *
 * Two hardware threads of a core (SMT) share its execution units, in a
 * virtual machine perhaps with another guest.  While the other one works, code
 * that fills the core takes up to twice as long, and neither a gap in the
 * clock nor the kernel's count of steal nor a chain of dependent operations
 * shows it.  Independent additions do.
 */

/**
 * core_share_rate() - independent additions for each core cycle, now.
 * @t: method and hz are used.
 *
 * A core on its own does as many as it has units for them: 4 or 5 on most of
 * today's; beside a busy thread about half.  The cycles come from a chain of
 * dependent additions, one cycle each, so that the frequency is not in it;
 * the least time of a few tries, since an interrupt in one would look like a
 * busy thread.  Takes some 20 us and touches no memory.
 *
 * Return: the rate; NAN where it cannot be told.
 */
double core_share_rate(const struct timer *t);

#endif
