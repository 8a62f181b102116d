/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rounds.h"
#include "sample.h"
#include "sections.h"
#include "stats.h"
#include "text.h"
#include "units.h"

static char *batch_length(const struct run *run)
{
	double hz = run_number(run->machine, "tsc.hz");
	double quantum = run_number(run->machine, "timer.quantum_ticks");
	double overhead = run_number(run->machine, "timer.overhead_ticks");
	double ns;
	char buf[UNITS_MAX];

	if (!(hz > 0) || !isfinite(quantum) || !isfinite(overhead))
		return text_copy("20 µs or more");
	ns = 1e9 / hz *
	     sample_batch_ticks(
		     &(struct sample_clock) { quantum, overhead, hz });
	return text_format("at least %s", units_format(buf, ns, "ns"));
}

/* "smallest", "2nd", "9th", "largest" of @n. */
static char *ordinal(size_t i, size_t n)
{
	static const char *const ends[] = { "th", "st", "nd", "rd" };

	if (i == 1)
		return text_copy("smallest");
	if (i == n)
		return text_copy("largest");
	return text_format("%zu%s", i,
			   i % 10 < 4 && i / 10 % 10 != 1 ? ends[i % 10]
							  : ends[0]);
}

/* What the interval is made of, with this run's n. */
static char *interval_text(unsigned int n)
{
	char *first, *last, *text;
	size_t lo, hi;
	double coverage = stats_order_ranks(n, 0.95, &lo, &hi);

	if (coverage <= 0)
		return text_format("%u round%s are too few for a 95 %% "
				   "interval (6 are needed), so there is none.",
				   n, n == 1 ? "" : "s");
	first = ordinal(lo, n);
	last = ordinal(hi, n);
	text = text_format(
		"The interval runs from the %s to the %s of the %u invocation "
		"values; it holds the true median with a probability of "
		"%.1f\xc2\xa0%%, whatever the distribution is (exact order "
		"statistics, which assume nothing but independence).",
		first, last, n, 100 * coverage);
	free(first);
	free(last);
	return text;
}

/* The same of @n values in short, after interval_text(); NULL if there is no
 * program with so many rounds, or no interval. */
static char *other_interval(const struct run *run, unsigned int n)
{
	size_t lo, hi;
	double coverage = stats_order_ranks(n, 0.95, &lo, &hi);
	char *first, *last, *text;
	bool any = false;

	for (size_t i = 0; i < run->nsections; i++)
		any |= run->sections[i].n && run->sections[i].rounds == n;
	if (!any || coverage <= 0)
		return NULL;
	first = ordinal(lo, n);
	last = ordinal(hi, n);
	text = text_format("Of %u values it runs from the %s to the %s "
			   "(%.1f\xc2\xa0%%).",
			   n, first, last, 100 * coverage);
	free(first);
	free(last);
	return text;
}

/* The intervals of all numbers of rounds that there are. */
static char *intervals_text(const struct run *run)
{
	unsigned int least, most;
	char *text, *other, *longer;

	rounds_ends(run, &least, &most);
	text = interval_text(least);
	for (unsigned int n = least + 1; n <= most; n++) {
		other = other_interval(run, n);
		if (!other)
			continue;
		longer = text_format("%s %s", text, other);
		free(other);
		free(text);
		text = longer;
	}
	return text;
}

static void para(struct doc *d, char *text)
{
	d->format->para(d, text);
	free(text);
}

static void put_rounds(struct doc *d, const struct run *run)
{
	const char *profile = run_text(run->meta, "profile");
	double seed = run_number(run->meta, "seed");
	char *order = isfinite(seed) ? text_format(" (seed %.0f)", seed)
				     : text_copy("");
	char *rounds = rounds_text(run);

	para(d, text_format(
			"Each program was run as a fresh process in each of %s "
			"rounds%s%s; the order of the programs was random in "
			"each round%s. So the unit of all statistics is the "
			"invocation, not the repetition inside a process, and "
			"slow changes of the machine fall on all rows alike. "
			"Each invocation has its own random size of the "
			"environment and offset of the stack.",
			rounds, profile ? " of profile " : "",
			profile ? profile : "", order));
	free(rounds);
	free(order);
}

/* Why the programs have not all had the same rounds.  The shares were
 * simulated as in tests/unit/test_report_rounds.c: docs/running.md. */
static void put_precision(struct doc *d, const struct run *run)
{
	double within = rounds_precision(run);

	if (isnan(within))
		return;
	para(d,
	     text_format(
		     "Programs with a row whose interval was wider than "
		     "±%.8g %% of its value got 10 more rounds, until they had "
		     "30. This was looked at after 10, 20 and 30 rounds "
		     "at most, for each look costs a little certainty: in "
		     "simulated runs a row that itself decided when to stop "
		     "had an interval that held the true median in 94.4 %% "
		     "of them at worst, and in 93.3 %% where one looked "
		     "after each round.",
		     100 * within));
}

static void put_samples(struct doc *d, const struct run *run)
{
	const char *method = run_text(run->machine, "timer.method");
	char *batch = batch_length(run);

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
			"their value is the median. Nothing is thrown away; "
			"disturbed samples are counted and lower the grade.",
			method ? method : "unknown", batch));
	free(batch);
}

void sections_method(struct doc *d, const struct run *run)
{
	char *interval;

	d->format->fold(d, "method", "Method");
	put_rounds(d, run);
	put_precision(d, run);
	put_samples(d, run);
	interval = intervals_text(run);
	para(d, text_format("The value of a row is the median of its "
			    "invocations' values. %s Mean, standard deviation, "
			    "minimum and maximum describe all samples of all "
			    "invocations together.",
			    interval));
	free(interval);
	d->format->fold(d, NULL, NULL);
}
