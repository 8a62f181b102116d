/* SPDX-License-Identifier: MIT */
#include "mistake.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reference.h"

#define CALLS	      10 /* in an event, so that it is long beside a step */
#define TRIPS	      20
#define PASSES	      256
#define WALKS	      3
#define NOISY	      1000
#define UNFENCED_RUNS 20
#define UNUSED	      10000
#define LOOPS	      100		 /* of so many multiplications */
#define AROUND	      ((size_t)64 << 10) /* what a fault on a cached file maps */

static uint64_t power(uint64_t y, uint64_t n)
{
	uint64_t result = 1;

	for (; n; n >>= 1, y *= y)
		if (n & 1)
			result *= y;
	return result;
}

static void proof_answer(struct bench *b, const struct bench_case *c,
			 uint64_t seen, uint64_t want)
{
	bench_proof(b, c, "answers", 1, seen == want);
}

static int run_calls(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	const struct mistakes_state *s = state;

	bench_proof(b, c, "calls", (double)iters,
		    (double)naive_calls(s->parent, iters));
	return 0;
}

static int sample_unfenced(struct bench *b, void *state,
			   const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	uint64_t x = s->x;
	const double ticks = naive_unfenced(&x, s->y, UNFENCED_RUNS);

	bench_record_value(b, c, ticks * 1e9 / bench_timer(b)->tsc_hz);
	proof_answer(b, c, (uint32_t)x,
		     (uint32_t)(s->x * power(s->y, (uint64_t)UNFENCED_RUNS *
							   NAIVE_LINKS)));
	return 0;
}

static int run_multiplies(struct bench *b, void *state,
			  const struct bench_case *c, uint64_t iters)
{
	const struct mistakes_state *s = state;
	const uint64_t x = naive_multiplies(s->x, s->y, iters);

	proof_answer(b, c, (uint32_t)x,
		     (uint32_t)(s->x * power(s->y, iters * NAIVE_LINKS)));
	return 0;
}

static int sample_ticks(struct bench *b, void *state,
			const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	uint64_t ticks, x;
	double hz;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       x = naive_adds(s->x, s->y, PASSES));
	hz = reference_hz(bench_timer(b));
	if (!(hz > 0))
		return bench_skip(b, "the core's frequency cannot be told");
	bench_record_value(b, c, (double)ticks / PASSES);
	bench_record_value(b, s->right,
			   bench_ns(b, (double)ticks) * hz / 1e9 / PASSES);
	proof_answer(b, c, x, s->x + s->y * PASSES * (uint64_t)NAIVE_LINKS);
	return 0;
}

/* So many passes that they take one and a half steps of the clock. */
static uint64_t short_passes(const struct timer *t)
{
	const double cycles = t->quantum_ticks / t->hz * t->core_hz;

	return (uint64_t)fmax(1, round(1.5 * cycles / NAIVE_SHORT));
}

/* A short interval, less an empty one. */
static int sample_step(struct bench *b, void *state, const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	const uint64_t passes = short_passes(bench_timer(b));
	const uint64_t empty = timer_empty(bench_timer(b)->method);
	uint64_t ticks, x;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       x = naive_short_adds(s->x, s->y, passes));
	bench_record_value(b, c,
			   (naive_ns(b, ticks) - naive_ns(b, empty)) /
				   (double)(passes * NAIVE_SHORT));
	proof_answer(b, c, x, s->x + s->y * passes * NAIVE_SHORT);
	return 0;
}

static int run_short_adds(struct bench *b, void *state,
			  const struct bench_case *c, uint64_t iters)
{
	const struct mistakes_state *s = state;
	const uint64_t x = naive_short_adds(s->x, s->y, iters);

	proof_answer(b, c, x, s->x + s->y * iters * NAIVE_SHORT);
	return 0;
}

/* Memory that is new to this process, and the same once it is known. */
static int sample_walk(struct bench *b, void *state, const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	char *map = mmap(NULL, NAIVE_WALK_BYTES, PROT_READ,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t cold, warm, loads, again;

	if (map == MAP_FAILED)
		return bench_fail(b, errno, "mmap");
	TIMER_INTERVAL(bench_timer(b)->method, cold,
		       loads = naive_walk(map, WALKS));
	TIMER_INTERVAL(bench_timer(b)->method, warm,
		       again = naive_walk(map, WALKS));
	munmap(map, NAIVE_WALK_BYTES);
	bench_record_value(b, c, naive_ns(b, cold) / (double)loads);
	bench_record_value(b, s->right,
			   bench_ns(b, (double)warm) / (double)loads);
	proof_answer(b, c, again, loads);
	return 0;
}

/* Both figures are made of the same samples; their estimators differ.  So many
 * samples that the scheduler lets the other process run a few times. */
static int sample_noise(struct bench *b, void *state,
			const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	uint64_t ticks, good;

	for (int i = 0; i < NOISY; i++) {
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       good = naive_calls(s->parent, CALLS));
		bench_record_value(b, c, bench_ns(b, (double)ticks) / CALLS);
		bench_record_value(b, s->right,
				   bench_ns(b, (double)ticks) / CALLS);
		bench_proof(b, c, "calls", CALLS, (double)good);
	}
	return 0;
}

static int sample_differences(struct bench *b, void *state,
			      const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	uint64_t once, twice, good;
	double ns;

	TIMER_INTERVAL(bench_timer(b)->method, once,
		       good = naive_calls(s->parent, CALLS));
	TIMER_INTERVAL(bench_timer(b)->method, twice,
		       good += naive_calls(s->parent, (uint64_t)2 * CALLS));
	ns = (naive_ns(b, twice) - naive_ns(b, once)) / CALLS;
	bench_record_value(b, c, ns);
	bench_record_value(b, s->right, ns);
	bench_proof(b, c, "calls", 3 * CALLS, (double)good);
	return 0;
}

static int sample_replicates(struct bench *b, void *state,
			     const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	double inside, between;
	int err = naive_replicates(b, c, &inside, &between);

	if (err)
		return err;
	bench_record_value(b, c, inside);
	bench_record_value(b, s->right, between);
	return 0;
}

static int sample_removed(struct bench *b, void *state,
			  const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       for (int i = 0; i < LOOPS; i++)
			       naive_removed(s->x, s->y, UNUSED));
	bench_record_value(b, c, naive_ns(b, ticks) / (LOOPS * UNUSED));
	return 0;
}

static int run_waiting(struct bench *b, void *state, const struct bench_case *c,
		       uint64_t iters)
{
	const struct mistakes_state *s = state;

	proof_answer(b, c, naive_waiting(s->x, s->y, iters),
		     s->x * power(s->y, iters * NAIVE_CHAINS));
	return 0;
}

static int run_overlapped(struct bench *b, void *state,
			  const struct bench_case *c, uint64_t iters)
{
	const struct mistakes_state *s = state;

	proof_answer(b, c, naive_overlapped(s->x, s->y, iters),
		     s->x * power(s->y, iters) * NAIVE_CHAINS);
	return 0;
}

static int run_chase(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct mistakes_state *s = state;

	s->from = s->at;
	s->at = naive_chase(s->at, iters * MISTAKE_LOADS);
	return 0;
}

/* The first divides by the pages, the second by the faults. */
static int sample_faults(struct bench *b, void *state,
			 const struct bench_case *c)
{
	const struct mistakes_state *s = state;
	const size_t page = bench_page_bytes();
	double faults;
	const double all =
		naive_touch(b, s->file, MISTAKE_FILE_BYTES, page, &faults);
	const double each =
		naive_touch(b, s->file, MISTAKE_FILE_BYTES, AROUND, &faults);

	if (all < 0 || each < 0)
		return bench_fail(b, (int)-fmin(all, each), "mmap of a file");
	bench_least(b, c, "minor_faults", 1, faults);
	if (!(faults > 0))
		return 0;
	bench_record_value(b, c,
			   all / ((double)MISTAKE_FILE_BYTES / (double)page));
	bench_record_value(b, s->right, each / faults);
	return 0;
}

static double switched(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return (double)(u.ru_nvcsw + u.ru_nivcsw);
}

/* Each switch away from here is one of a pair. */
static int sample_trip(struct bench *b, void *state, const struct bench_case *c)
{
	struct mistakes_state *s = state;
	const double before = switched();
	uint64_t trip, alone;
	double switches;
	int there, here;

	TIMER_INTERVAL(bench_timer(b)->method, trip,
		       there = naive_trips(&s->pair, TRIPS));
	switches = 2 * (switched() - before);
	TIMER_INTERVAL(bench_timer(b)->method, alone,
		       here = naive_alone(&s->pair, TRIPS));
	if (there < 0 || here < 0)
		return partner_failed(b, there < 0 ? there : here);
	bench_proof(b, c, "messages", 3 * TRIPS, there + here);
	bench_least(b, c, "switches", 2 * TRIPS, switches);
	if (!(switches > 0))
		return 0;
	bench_record_value(b, c, naive_ns(b, trip) / TRIPS);
	bench_record_value(b, s->right,
			   (naive_ns(b, trip) - naive_ns(b, alone)) / switches);
	return 0;
}

static int sample_pinned(struct bench *b, void *state,
			 const struct bench_case *c)
{
	struct mistakes_state *s = state;
	uint64_t ticks;
	int good;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       good = naive_trips(&s->pair, TRIPS));
	if (good < 0)
		return partner_failed(b, good);
	bench_proof(b, c, "messages", TRIPS, good);
	bench_record_value(b, c, naive_ns(b, ticks) / TRIPS);
	return 0;
}

const struct mistake mistake_table[MISTAKES] = {
	[SINGLE_SHOT] = { "single_shot",
			  { { 0 }, { .run = run_calls } },
			  .at_least = 2 },
	[UNFENCED] = { "unfenced",
		       { { .sample = sample_unfenced },
			 { .run = run_multiplies,
			   .estimator = BENCH_EST_MIN_DIFFERENCE } },
		       .at_most = 0.8,
		       .needs_tsc = true },
	[TICKS_AS_CYCLES] = { "ticks_as_cycles",
			      { { .sample = sample_ticks } },
			      .at_most = 0.95,
			      .at_least = 1.05,
			      .unit = "cycles",
			      .needs_tsc = true },
	[CLOCK_STEP] = { "clock_step",
			 { { .sample = sample_step },
			   { .run = run_short_adds,
			     .ops = NAIVE_SHORT,
			     .estimator = BENCH_EST_MIN_DIFFERENCE } },
			 .at_most = 0.8,
			 .at_least = 1.2,
			 .needs_step = true },
	[NO_WARM_UP] = { "no_warm_up",
			 { { .sample = sample_walk } },
			 .at_least = 1.5 },
	[MEAN_UNDER_NOISE] = { "mean_under_noise",
			       { { .sample = sample_noise,
				   .estimator = BENCH_EST_MEAN,
				   .most = 6 },
				 { .estimator = BENCH_EST_MEDIAN } },
			       .at_least = 1.2,
			       .whole = true,
			       .switches = true },
	[MIN_OF_DIFFERENCES] = { "min_of_differences",
				 { { .sample = sample_differences,
				     .estimator = BENCH_EST_MIN },
				   { .estimator = BENCH_EST_MEDIAN } },
				 .at_most = 0.8,
				 .whole = true },
	[ONE_PROCESS] = { "one_process",
			  { { .sample = sample_replicates, .most = 2 } },
			  .at_most = 0.7,
			  .unit = "%",
			  .whole = true,
			  .switches = true },
	[REMOVED] = { "removed",
		      { { .sample = sample_removed,
			  .estimator = BENCH_EST_MEAN },
			{ .run = run_waiting, .ops = NAIVE_CHAINS } },
		      .at_most = 0.1 },
	[OVERLAPPED] = { "overlapped",
			 { { .run = run_overlapped, .ops = NAIVE_CHAINS },
			   { .run = run_waiting, .ops = NAIVE_CHAINS } },
			 .at_most = 0.7 },
	[STRIDED_CHASE] = { "strided_chase",
			    { { .run = run_chase, .ops = MISTAKE_LOADS },
			      { .run = run_chase, .ops = MISTAKE_LOADS } },
			    .at_most = 0.7,
			    .whole = true },
	[FAULT_AROUND] = { "fault_around",
			   { { .sample = sample_faults } },
			   .at_most = 0.5 },
	[ROUND_TRIP] = { "round_trip",
			 { { .sample = sample_trip } },
			 .at_least = 2,
			 .switches = true },
	[UNPINNED] = { "unpinned",
		       { { .sample = sample_pinned },
			 { .sample = sample_pinned } },
		       .at_most = 0.8,
		       .at_least = 1.25,
		       .whole = true,
		       .switches = true },
};
