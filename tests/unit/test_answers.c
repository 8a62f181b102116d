/* SPDX-License-Identifier: MIT */
/* From the ticks of a made-up clock to the figures of a row: each answer is
 * known beforehand, and no two steps of the arithmetic have the same factor. */
#include <jansson.h>

#include "counters_set.h"
#include "made_up.h"
#include "tests.h"

#define OVERHEAD 30.0 /* ticks of an empty interval */
#define HZ	 2e9  /* two ticks a nanosecond */
#define CORE_HZ	 3e9

/* A machine whose core is faster than its clock. */
static struct bench machine(void)
{
	static double speeds[] = { CORE_HZ, CORE_HZ, CORE_HZ, CORE_HZ };

	return (struct bench) {
		.desc = &made_up_desc,
		.timer = { .hz = HZ,
			   .tsc_hz = HZ,
			   .quantum_ticks = 1,
			   .overhead_ticks = OVERHEAD,
			   .overhead_spread_ticks = 3 },
		.now.core_hz = { .v = speeds, .n = 4 },
	};
}

/* The row of 100 events: 10 take 40 ns, 60 take 100 ns, 30 take 300 ns. */
static const struct result *skewed(struct bench_case c)
{
	const struct bench b = machine();
	struct case_run run = made_up(c);

	for (int i = 0; i < 100; i++)
		sample_push(&run.got.events, OVERHEAD + 2 * (i < 10   ? 40
							     : i < 70 ? 100
								      : 300));
	return made_up_row(&b, &run);
}

/* Events on a clock of 26 ticks. */
static const struct result *coarse(void)
{
	struct bench b = machine();
	struct case_run run = made_up((struct bench_case) { .unit = "ns" });

	b.timer.quantum_ticks = 26;
	for (int i = 0; i < 10; i++)
		sample_push(&run.got.events, OVERHEAD + 260);
	return made_up_row(&b, &run);
}

TEST(events)
{
	static const struct {
		struct bench_case c;
		double value, tolerance;
		const char *what;
	} t[] = {
		{ { .ops = 4 }, 25, 0.1, "of four operations each a quarter" },
		{ { .with_overhead = true }, 115, 0.3, "a clock's own cost" },
		{ { .estimator = BENCH_EST_MIN }, 40, 1e-9, "a minimum" },
		{ { .estimator = BENCH_EST_MEAN }, 154, 1e-9, "a mean" },
		{ { .estimator = BENCH_EST_MAX }, 300, 1e-9, "a maximum" },
		{ { .bytes = 4096, .unit = "B/s" }, 40.96e9, 0.16e9, "a rate" },
	};
	const struct result *row = skewed((struct bench_case) { .unit = "ns" });

	OK_NEAR(row->value, 100, 0.3, "an event is its median, less the clock");
	OK_NEAR(row->min, 40, 1e-9, "the least has no overhead in it either");
	OK_NEAR(row->mean, 154, 1e-9, "nor has the mean");
	OK_NEAR(row->p90, 300, 1e-9, "nor has a tail");
	OK_NEAR(row->ticks / row->value, 2, 1e-9, "ticks are the clock's");
	OK_NEAR(row->cycles / row->value, 3, 1e-9, "cycles are the core's");
	OK_NEAR(row->resolution, 3, 1e-9, "twice the overhead's spread");
	OK_NEAR(coarse()->resolution, 13, 1e-9, "at least a step of the clock");
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK_NEAR(skewed(t[i].c)->value, t[i].value, t[i].tolerance,
			t[i].what);
	row = skewed((struct bench_case) { .ops = 4 });
	OK_NEAR(row->overhead, 15.0 / 4, 1e-9, "a share of the clock's cost");
	row = skewed((struct bench_case) { .with_overhead = true });
	OK_NEAR(row->overhead, 0, 1e-9, "none where it is in the row");
}

/* A loop of @per ticks for each operation, and 500 before and behind. */
struct loop {
	double per;
};

static int batch(void *arg, uint64_t iters, uint64_t *ticks)
{
	const struct loop *l = arg;

	if (ticks)
		*ticks = (uint64_t)(500 + l->per * (double)iters);
	return 0;
}

TEST(repeated)
{
	const struct bench b = machine();
	struct case_run run = made_up((struct bench_case) { .unit = "ns" });
	struct loop whole = { 14 }, baseline = { 4 };
	const struct result *row;

	run.got.series.iters = run.got.base.iters = 1000;
	for (int i = 0; i < 5; i++) {
		sample_quad(batch, &whole, &run.got.series);
		sample_quad(batch, &baseline, &run.got.base);
	}
	row = made_up_row(&b, &run);
	OK_NEAR(row->value, 5, 1e-9,
		"of a loop what n more rounds took, less the baseline");
	OK_NEAR(row->baseline, 2, 1e-9, "which is in the row");
	OK_NEAR(row->cycles, 15, 1e-9, "and in the core's cycles");
	OK_NEAR(row->min, 5, 0.1,
		"samples are less the baseline too: the least");
	OK_NEAR(row->p50, 5, 0.1, "and the median");
}

/* Batches of n and 2n in which @each instructions were counted for each
 * operation, and 100 around them. */
static void count(struct op_counts *counts, double each)
{
	for (unsigned int n = 1; n <= 2; n++) {
		struct counters_counts k = { 0 };

		k.count[COUNTERS_INSTRUCTIONS] =
			(struct counters_count) { .known = true,
						  .value = 100 +
							   each * 1000.0 * n,
						  .share = 1 };
		op_counts_add(counts, &k, n > 1 ? OP_LONGER : OP_BRIEF);
	}
}

TEST(counted)
{
	struct counters c = { 0 };
	struct bench b = machine();
	struct case_run run = made_up((struct bench_case) { .ops = 4 });
	struct loop whole = { 14 };
	const struct result *row;

	b.counters = &c;
	run.got.begun = true;
	run.got.series.iters = 1000;
	for (int i = 0; i < 5; i++) {
		sample_quad(batch, &whole, &run.got.series);
		count(&run.got.counts, 14);
		count(&run.got.base_counts, 6);
	}
	row = made_up_row(&b, &run);
	OK_NEAR(json_number_value(
			json_object_get(row->counters, "instructions")),
		2, 1e-12, "events of an operation are less the baseline's");
	op_counts_free(&run.got.counts);
	op_counts_free(&run.got.base_counts);
}

/* The first event took 500 ns, for two operations. */
TEST(cold)
{
	const struct bench b = machine();
	struct case_run run =
		made_up((struct bench_case) { .unit = "ns", .ops = 2 });
	const struct result *row;

	sample_push(&run.got.events, OVERHEAD + 2 * 100);
	run.got.cold = OVERHEAD + 2 * 500;
	row = made_up_row(&b, &run);
	OK_NEAR(row->cold, 250, 1e-9, "the cold event has no overhead in it");
}

/* 100 events of which so many were disturbed. */
static bool worst(uint64_t involuntary, uint64_t migrated, uint64_t waited)
{
	struct bench b = machine();
	struct case_run run = made_up((struct bench_case) { .unit = "ns" });
	const struct result *row;

	for (int i = 0; i < 100; i++)
		sample_push(&run.got.events, OVERHEAD + 200);
	run.got.involuntary = involuntary;
	run.got.migrated = migrated;
	run.got.waited = waited;
	row = made_up_row(&b, &run);
	return row->grade && *row->grade == 'D';
}

TEST(grades)
{
	OK(!worst(0, 0, 0) && !worst(20, 0, 0), "a process alone has no grade");
	OK(worst(21, 0, 0) && worst(0, 21, 0) && worst(0, 0, 26),
	   "but the worst, if other work had the CPU in a fifth of the "
	   "samples");
}

/* 100 events in each of four visits, in two of which the host had one of the
 * CPUs, and in two, one of them the same, a quota held the group back. */
static const struct result *take(bool waits_known)
{
	const struct noise_taken during[] = { { { 0, 0 }, 0 },
					      { { 3, 0 }, 0 },
					      { { 0, 1 }, 7 },
					      { { 0, 0 }, 1 } };
	struct bench b = machine();
	struct case_run run = made_up((struct bench_case) { .unit = "ns" });

	b.runs = &(struct case_run *) { &run };
	b.n_runs = 1;
	for (int visit = 0; visit < 4; visit++) {
		const struct beside before = { .cpu = -1 };

		evidence_begin(&b, &run);
		for (int i = 0; i < 100; i++)
			sample_push(&run.got.events, OVERHEAD + 200);
		b.now.beside =
			(struct beside) { .cpu = -1, .taken = during[visit] };
		visit_settle(&b, &run, &before, waits_known);
	}
	return made_up_row(&b, &run);
}

static json_int_t tagged(const struct result *row, const char *tag)
{
	return json_integer_value(json_object_get(row->tags, tag));
}

TEST(taken)
{
	const struct result *row;

	row = take(true);
	OK(row->samples == 400 && !json_is_object(row->set_aside),
	   "those that waited are dropped one by one");
	OK(tagged(row, "stolen") == 200 && tagged(row, "throttled") == 200,
	   "what the host and a quota took was beside half of the samples");
	row = take(false);
	OK(row->samples == 200 && json_is_object(row->set_aside),
	   "held back in unknown samples: those visits are excluded");
	OK(tagged(row, "stolen") == 100 && tagged(row, "throttled") == 0,
	   "and their tags with them");
}

TEST(own_clock)
{
	const struct bench b = machine();

	OK_NEAR(bench_ns(&b, OVERHEAD + 200), 100, 1e-9,
		"a span that a benchmark takes itself has no overhead");
}
