/* SPDX-License-Identifier: MIT */
#include "gaps.h"

#include <math.h>

#define GAP_NS	  1000
#define GAP_READS 10 /* a gap is longer than as many reads of the clock */
#define TRIES	  8
#define SEEN_NS	  20e3

double gaps_least_ticks(enum timer_method method, double hz)
{
	uint64_t read = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t ticks = timer_empty(method);

		read = ticks < read ? ticks : read;
	}
	return fmax(1e-9 * GAP_NS * hz, GAP_READS * (double)read);
}

bool gaps_add(struct gaps *g, uint64_t ticks, double least_ticks)
{
	g->spun_ticks += ticks;
	if (!((double)ticks > least_ticks))
		return false;
	g->gaps++;
	g->lost_ticks += ticks;
	if (ticks > g->longest_ticks)
		g->longest_ticks = ticks;
	return true;
}

void gaps_spin(struct gaps *g, const struct timer *t, unsigned int us,
	       gaps_fn *seen, void *arg)
{
	/* CPUID would spend the time in the hypervisor; any order will do. */
	const enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_NONE;
	const double gap = gaps_least_ticks(method, t->hz);
	double least = gap;
	uint64_t last = timer_begin(method), now = last;
	/* Not a part of a tick less than asked for. */
	const uint64_t end = last + (uint64_t)ceil(us * t->hz / 1e6);

	while (now < end) {
		now = timer_begin(method);
		if (gaps_add(g, now - last, least) && seen) {
			seen(arg, now - last);
			least = gap + 1e-9 * SEEN_NS * t->hz;
		} else {
			least = gap;
		}
		last = now;
	}
}
