/* SPDX-License-Identifier: MIT */
#include "settle.h"

#include <errno.h>
#include <math.h>

#include "sample.h"

#define MOST_S	   1 /* of warming up, at --effort 100: METHOD, step 4 */
#define MAX_PASSES ((uint64_t)1 << 20) /* in one batch */

struct job {
	struct bench *b;
	settle_fn *fn;
	void *arg;
	uint64_t passes;
};

static int batch(void *arg, uint64_t passes, uint64_t *ticks)
{
	struct job *j = arg;

	j->passes += passes;
	TIMER_INTERVAL(bench_timer(j->b)->method, *ticks,
		       j->fn(j->arg, passes));
	return 0;
}

double settle(struct bench *b, const struct bench_case *c, settle_fn *fn,
	      void *arg)
{
	const struct timer *clock = bench_timer(b);
	struct job job = { .b = b, .fn = fn, .arg = arg };
	struct sample_settled settled;
	uint64_t passes;
	double cold;

	if (sample_pilot(batch, &job, clock, MAX_PASSES, &passes, &cold) ||
	    sample_settle(batch, &job, passes,
			  MOST_S * clock->hz * bench_effort(b), &settled))
		return NAN;
	bench_fact(b, c, "passes", (double)job.passes);
	if (settled.still_falling)
		bench_fact_text(b, c, "still_falling",
				"passes still got faster when the time for "
				"warming up was over");
	return bench_ns(b, settled.best_ticks) / (double)passes;
}
