/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "doc.h"
#include "load.h"
#include "sections.h"
#include "text.h"

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

	para(d, prose("method-samples", "method", method ? method : "unknown",
		      NULL));
}

void sections_method(struct doc *d, const struct run *run)
{
	d->format->fold(d, "method", "Method");
	put_rounds(d, run);
	put_goal(d, run);
	put_samples(d, run);
	para(d, prose("method-value", NULL));
	d->format->fold(d, NULL, NULL);
}
