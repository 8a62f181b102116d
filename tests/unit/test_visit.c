/* SPDX-License-Identifier: MIT */
/* Samples of a visit that were taken on two CPUs are all tagged.  Beside other
 * work some, or all, wait for a CPU and are none: neither are their tags. */
#include <jansson.h>
#include <sched.h>

#include "made_up.h"
#include "tap.h"

static struct case_run run, fed;
static struct case_run *runs[] = { &run, &fed };
static double time_ns = 1e6;
static unsigned int warmed;
static int cpu[2]; /* where a visit begins, and where its samples end */

static void go_to(int to)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(to, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	go_to(cpu[0]);
	return 0;
}

static int batch(struct bench *b, void *state, const struct bench_case *c,
		 uint64_t iters)
{
	for (uint64_t i = 0; i < iters; i++)
		BENCH_KEEP(i);
	go_to(cpu[1]);
	return 0;
}

/* Each event ends where the one before did not. */
static int event(struct bench *b, void *state, const struct bench_case *c)
{
	go_to(cpu[sched_getcpu() == cpu[0]]);
	warmed += !bench_is_sample(b);
	bench_record(b, c, 1000);
	bench_record(b, &fed.c, 500);
	return 0;
}

static void visit(struct bench_case c, bench_conclude_fn *conclude)
{
	const struct bench_desc desc = { .enter = enter, .conclude = conclude };
	struct bench b = { .desc = &desc,
			   .timer = { .method = TIMER_CLOCK,
				      .hz = 1e9,
				      .quantum_ticks = 1 },
			   .runs = runs,
			   .n_runs = 2,
			   .now.rng = 1,
			   .cpu = sched_getcpu(),
			   .now.dither = 1,
			   .now.time_ns = time_ns };

	made_up_free(&run);
	made_up_free(&fed);
	run = made_up(c);
	run.verdict.state = CASE_ASKED;
	fed = run;
	fed.c = (struct bench_case) { .id = 1, .derived = true };
	visit_cases(&b);
	sample_free(&b.now.core_hz);
	sample_free(&b.now.core_share);
}

/* The first two visits, one of which makes up for the other, are spoilt. */
static void spoil(struct bench *b, void *state, const struct bench_case *c,
		  uint64_t iters)
{
	bench_purity(b, c, "pure", 1, 1, b->verdict.visits > 4);
}

int main(void)
{
	cpu_set_t may;
	int n = 0;

	CPU_ZERO(&may);
	sched_getaffinity(0, sizeof(may), &may);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &may))
			cpu[n++] = i;
	if (n < 2) {
		printf("# one CPU: nothing moves\n");
		OK(true, "skipped");
		return tap_done();
	}
	visit((struct bench_case) { .run = batch }, NULL);
	OK((run.got.migrated || run.got.waited) &&
		   run.got.migrated == run.got.series.short_ticks.n +
					       run.got.series.long_ticks.n,
	   "each of the four batches of a quad is a sample");
	OK(run.got.sampled - run.got.lost == (double)run.got.series.diff.n,
	   "quads that waited are lacking");
	visit((struct bench_case) { .run = batch }, spoil);
	OK(run.verdict.set_aside >= 2 && run.got.sampled - run.got.lost ==
						 (double)run.got.series.diff.n,
	   "and those of visits that were excluded");
	visit((struct bench_case) { .sample = event }, NULL);
	OK((run.got.migrated || run.got.waited) &&
		   run.got.migrated == run.got.events.n,
	   "an event that ends on another CPU");
	OK(run.got.sampled - run.got.lost == (double)run.got.events.n,
	   "events that waited are lacking");
	OK(fed.got.events.n == run.got.events.n &&
		   fed.got.migrated == fed.got.events.n,
	   "what it fed moved, too");
	time_ns = 0;
	visit((struct bench_case) { .sample = event }, NULL);
	OK(run.got.waited || run.got.sampled == BENCH_LEAST_EVENTS,
	   "some events are taken though there is no time for any");
	visit((struct bench_case) { .sample = event, .least = 1 }, NULL);
	OK(run.got.waited || run.got.sampled == 1,
	   "or one, where one is enough");
	warmed = 0;
	visit((struct bench_case) { .sample = event, .cycle = 20 }, NULL);
	OK(warmed > 20, "after a whole cycle, though there is no time");
	made_up_free(&run);
	made_up_free(&fed);
	return tap_done();
}
