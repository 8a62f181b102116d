/* SPDX-License-Identifier: MIT */
#include "gaps.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "noise.h"
#include "stats.h"
#include "text.h"

#define LONG_NS	    1e6	  /* no interrupt is served for as long */
#define QUESTION_NS 20e3  /* nor do our own system calls take as long */
#define MOST	    65536 /* plain gaps kept */

static void note_gap(struct gaps *g, double ns, bool switched)
{
	g->n++;
	g->lost_ns += ns;
	g->longest_ns = fmax(g->longest_ns, ns);
	if (switched) {
		g->switched++;
		g->switched_ns += ns;
	} else if (g->nplain < MOST) {
		g->plain[g->nplain++] = ns;
	}
}

/* Whether another task had the CPU since @before, which becomes now. */
static bool was_switched(int64_t *before)
{
	struct noise_counts counts;
	bool is;

	noise_read(&counts);
	is = counts.involuntary > *before;
	*before = counts.involuntary;
	return is;
}

void gaps_spin(struct gaps *g, const struct timer *t, unsigned int ms)
{
	enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_NONE;
	const uint64_t gap = (uint64_t)noise_gap_ticks(method, t->hz);
	const uint64_t question = gap + (uint64_t)(1e-9 * QUESTION_NS * t->hz);
	uint64_t begin, last, now, end, least = gap;
	int64_t before = 0;

	*g = (struct gaps) { .plain = text_alloc(MOST, sizeof(*g->plain)) };
	was_switched(&before);
	begin = last = now = timer_begin(method);
	end = begin + (uint64_t)(1e-3 * ms * t->hz);
	while (now < end) {
		now = timer_begin(method);
		if (now - last > least) {
			note_gap(g, timer_ns(t, (double)(now - last)),
				 was_switched(&before));
			/* What the question takes is ours, as long as it is
			 * no longer than that: a task may get the CPU in it. */
			least = question;
		} else {
			least = gap;
		}
		last = now;
	}
	g->spun_ns = timer_ns(t, (double)(now - begin));
}

void gaps_free(struct gaps *g)
{
	free(g->plain);
	*g = (struct gaps) { 0 };
}

/* Interrupts that came while we ran, of those that came in all. */
static double interrupts_seen(const struct gaps *g)
{
	double ran = g->spun_ns - g->switched_ns;

	return g->spun_ns > 0 ? g->interrupts * fmax(0, ran) / g->spun_ns : 0;
}

void gaps_causes(const struct gaps *g, double *ns)
{
	double plain = g->lost_ns - g->switched_ns, shorter = 0, median;
	double *sorted = text_alloc(g->nplain + 1, sizeof(*sorted));
	double came = interrupts_seen(g);
	size_t n = 0;

	for (size_t i = 0; i < g->nplain; i++)
		if (g->plain[i] < LONG_NS)
			sorted[n++] = g->plain[i];
	stats_sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		shorter += sorted[i];
	median = n ? stats_quantile(sorted, n, 0.5) : 0;
	/* One more or less falls on the ends of the spin. */
	if (!((double)n <= came + 1))
		shorter = fmin(shorter, came * median);
	free(sorted);
	ns[GAP_THROTTLED] = fmin(g->throttled_ns, g->switched_ns);
	ns[GAP_TASKS] = g->switched_ns - ns[GAP_THROTTLED];
	ns[GAP_INTERRUPTS] = fmin(shorter, plain);
	ns[GAP_UNSEEN] = plain - ns[GAP_INTERRUPTS];
}

const char *gaps_cause_name(enum gap_cause cause)
{
	static const char *const names[GAP_CAUSES] = {
		[GAP_TASKS] = "tasks",
		[GAP_THROTTLED] = "throttled",
		[GAP_INTERRUPTS] = "interrupts",
		[GAP_UNSEEN] = "unseen",
	};

	return names[cause];
}
