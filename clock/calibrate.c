/* SPDX-License-Identifier: MIT */
/* Fills in the results of timer_calibrate(): the rates, the step, the cost of
 * reading. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "reference.h"
#include "stats.h"
#include "timer.h"

#define RATE_WINDOW_NS	260000000u /* METHOD: at least 250 ms */
#define CHECK_WINDOW_NS 2000000u   /* the ends are known to 0.1 us: 1e-4 */
#define RATE_TOLERANCE	1e-3
#define QUANTUM_READS	4000
#define OVERHEAD_READS	4000
#define OVERHEAD_NS	15000000.0 /* not longer than 15 ms */

void timer_set_overhead(struct timer *t, double *x, size_t n)
{
	const size_t edge = n / 20;
	double sum = 0;

	stats_sort(x, n);
	for (size_t i = edge; i < n - edge; i++)
		sum += x[i];
	t->overhead_ticks = sum / (double)(n - 2 * edge);
	t->overhead_spread_ticks = fmax(x[n - 1 - edge] - t->overhead_ticks,
					t->overhead_ticks - x[edge]);
}

static int measure_overhead(struct timer *t)
{
	size_t n = OVERHEAD_READS;
	double *x = malloc(n * sizeof(*x)), cost;
	uint64_t t0;

	if (!x)
		return -ENOMEM;
	for (int i = 0; i < 100; i++)
		timer_empty(t->method); /* warm */
	t0 = timer_clock_begin();
	for (int i = 0; i < 10; i++)
		timer_empty(t->method);
	cost = (double)(timer_clock_begin() - t0) / 10;
	if (cost * (double)n > OVERHEAD_NS)
		n = (size_t)fmax(200, OVERHEAD_NS / cost);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)timer_empty(t->method);
	timer_set_overhead(t, x, n);
	free(x);
	return 0;
}

int timer_calibrate(struct timer *t, enum timer_method method, double tsc_hz)
{
	const bool invariant = t->features.counter && t->features.invariant;
	const bool given = invariant && tsc_hz > 0;
	struct timer_instant begin = { 0 };
	const char *why = "";
	int err;

	t->method = method;
	if (!timer_usable(method, &t->features, &why))
		return -ENOTSUP;
	if (given)
		begin = timer_instant();
	if (invariant)
		t->tsc_hz = given ? tsc_hz : timer_tsc_hz(RATE_WINDOW_NS);
	t->hz = method == TIMER_CLOCK ? 1e9
		: t->tsc_hz > 0	      ? t->tsc_hz
				      : timer_tsc_hz(RATE_WINDOW_NS);
	t->quantum_ticks = timer_quantum(method, QUANTUM_READS);
	reference_calibrate(t);
	err = measure_overhead(t);
	/* All this took most of the time in which a given rate is checked. */
	if (!err && given &&
	    fabs(timer_tsc_hz_since(&begin, CHECK_WINDOW_NS) / tsc_hz - 1) >
		    RATE_TOLERANCE)
		return timer_calibrate(t, method, 0);
	return err;
}
