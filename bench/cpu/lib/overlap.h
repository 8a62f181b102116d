/* SPDX-License-Identifier: MIT */
#ifndef OVERLAP_H
#define OVERLAP_H

/*
 * overlap_least() - the least that an operation may take if @chains of them
 * side by side took @each and one alone takes @latency: @latency / @each are
 * under way at a time (Little's law).  Where that leaves a whole chain that
 * waits, the units were always busy and it is @each; else they might do more,
 * and it is 0.
 */
static inline double overlap_least(double latency, double each,
				   unsigned int chains)
{
	return latency / each > chains - 1 ? 0 : each;
}

#endif
