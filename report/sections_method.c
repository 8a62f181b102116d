/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "doc.h"
#include "load.h"
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

/* The ranks that make the interval, with this run's n. */
static const char *interval_text(unsigned int n)
{
	size_t lo, hi;
	double coverage = stats_order_ranks(n, 0.95, &lo, &hi);

	if (coverage <= 0)
		return text_format("%u round%s are too few for a 95 %% "
				   "interval (6 are needed), so there is none.",
				   n, n == 1 ? "" : "s");
	return prose("method-interval", "low", ordinal(lo, n), "high",
		     ordinal(hi, n), "n", text_format("%u", n), "share",
		     text_format("%.1f", 100 * coverage), NULL);
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
	const char *rounds = rounds_words(run);

	para(d, prose("method-rounds", "rounds", rounds, "of",
		      profile ? " of profile " : "", "profile",
		      profile ? profile : "", "order", order, NULL));
}

/* Why the programs have not all had the same rounds. */
static void put_goal(struct doc *d, const struct run *run)
{
	const double goal = rounds_goal(run);

	if (isnan(goal))
		return;
	para(d, prose("method-goal", "goal", text_format("%.8g", 100 * goal),
		      NULL));
}

static void put_samples(struct doc *d, const struct run *run)
{
	const char *method = run_text(run->machine, "timer.method");
	const char *batch = batch_length(run);

	para(d, prose("method-samples", "method", method ? method : "unknown",
		      "batch", batch, NULL));
}

void sections_method(struct doc *d, const struct run *run)
{
	d->format->fold(d, "method", "Method");
	put_rounds(d, run);
	put_goal(d, run);
	put_samples(d, run);
	para(d, prose("method-value", "intervals", intervals_text(run), NULL));
	d->format->fold(d, NULL, NULL);
}
