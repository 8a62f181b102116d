/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "rounds.h"
#include "sample.h"
#include "sections.h"
#include "stats.h"
#include "text.h"

static const char *batch_length(const struct run *run)
{
	double hz = run_number(run->machine, "tsc.hz");
	double quantum = run_number(run->machine, "timer.quantum_ticks");
	double overhead = run_number(run->machine, "timer.overhead_ticks");
	double ns;

	if (!(hz > 0) || !isfinite(quantum) || !isfinite(overhead))
		return "20 µs or more";
	ns = 1e9 / hz *
	     sample_batch_ticks(&(struct timer) { .quantum_ticks = quantum,
						  .overhead_ticks = overhead,
						  .hz = hz });
	return text_format("at least %s", text_units(ns, "ns"));
}

/* "smallest", "2nd", "9th", "largest" of @n. */
static const char *ordinal(size_t i, size_t n)
{
	static const char *const ends[] = { "th", "st", "nd", "rd" };

	if (i == 1)
		return "smallest";
	if (i == n)
		return "largest";
	return text_format("%zu%s", i,
			   i % 10 < 4 && i / 10 % 10 != 1 ? ends[i % 10]
							  : ends[0]);
}

/* What the interval is made of, with this run's n. */
static const char *interval_text(unsigned int n)
{
	size_t lo, hi;
	double coverage = stats_order_ranks(n, 0.95, &lo, &hi);

	if (coverage <= 0)
		return text_format("%u round%s are too few for a 95 %% "
				   "interval (6 are needed), so there is none.",
				   n, n == 1 ? "" : "s");
	return text_format(
		"The interval runs from the %s to the %s of the %u invocation "
		"values; it holds the true median with a probability of "
		"%.1f\xc2\xa0%%, whatever the distribution is (exact order "
		"statistics, which assume nothing but independence).",
		ordinal(lo, n), ordinal(hi, n), n, 100 * coverage);
}

/* The intervals of the rows with the fewest and with the most rounds. */
static const char *intervals_text(const struct run *run)
{
	unsigned int least, most;
	size_t lo, hi;
	const char *text;
	double coverage;

	if (!rounds_ends(run, &least, &most))
		return interval_text(least);
	text = interval_text(least);
	coverage = stats_order_ranks(most, 0.95, &lo, &hi);
	if (coverage <= 0)
		return text;
	return text_format("%s Of %u values it runs from the %s to the %s "
			   "(%.1f\xc2\xa0%%).",
			   text, most, ordinal(lo, most), ordinal(hi, most),
			   100 * coverage);
}

static void para(struct doc *d, const char *text)
{
	d->format->para(d, text);
}

static void put_rounds(struct doc *d, const struct run *run)
{
	const char *profile = run_text(run->meta, "profile");
	double seed = run_number(run->meta, "seed");
	const char *order =
		isfinite(seed) ? text_format(" (seed %.0f)", seed) : "";
	const char *rounds = rounds_text(run);

	para(d,
	     text_format("Each program was run as a fresh process in each of "
			 "%s rounds%s%s; the order of the programs was random "
			 "in each round%s. So the unit of all statistics is "
			 "the invocation, not the repetition inside a process, "
			 "and slow changes of the machine fall on all rows "
			 "alike. Each invocation has its own random size of "
			 "the environment and offset of the stack.",
			 rounds, profile ? " of profile " : "",
			 profile ? profile : "", order));
}

/* Why the programs have not all had the same rounds. */
static void put_goal(struct doc *d, const struct run *run)
{
	const double goal = rounds_goal(run);

	if (isnan(goal))
		return;
	para(d,
	     text_format(
		     "After the first rounds a program was run again only as "
		     "often as the intervals of its core rows needed to come "
		     "within ±%.8g %% of their values, or as the time allowed.",
		     100 * goal));
}

static void put_samples(struct doc *d, const struct run *run)
{
	const char *method = run_text(run->machine, "timer.method");
	const char *batch = batch_length(run);

	para(d, text_format(
			"The program pins itself to one CPU, calibrates its "
			"clock (method %s), finds a number of operations n for "
			"which one batch takes %s, warms up, and then takes "
			"batches of n and 2n operations in the order n, 2n, "
			"2n, n, in turn with the other cases. The value is the "
			"median of (T(2n) − T(n)) / n, in which all that is "
			"constant cancels: reading the clock, calling the "
			"loop. Operations that cannot be repeated are timed "
			"one by one, minus the mean overhead of the clock, and "
			"their value is the median. Disturbed samples are "
			"counted, and many of them lower the grade.",
			method ? method : "unknown", batch));
}

void sections_method(struct doc *d, const struct run *run)
{
	d->format->fold(d, "method", "Method");
	put_rounds(d, run);
	put_goal(d, run);
	put_samples(d, run);
	para(d,
	     text_format(
		     "The value of a row is the median of its invocations' "
		     "values. %s Mean, standard deviation, minimum and maximum "
		     "describe all samples of all invocations together.",
		     intervals_text(run)));
	d->format->fold(d, NULL, NULL);
}
