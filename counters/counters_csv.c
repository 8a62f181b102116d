// SPDX-License-Identifier: MIT
#include "counters.h"

#include <math.h>
#include <stdio.h>

static void put(FILE *f, int decimals, double value)
{
	if (isfinite(value))
		fprintf(f, "%.*f", decimals, value);
}

int counters_csv(FILE *f, const char *label,
		 const struct counters_counts *counts,
		 const double width[COUNTERS_PMUS])
{
	static const double unknown[COUNTERS_PMUS] = { NAN, NAN, NAN, NAN };
	double seconds, running_pct, share = NAN;

	if (!counts) {
		fputs("label,seconds", f);
		for (int e = 0; e < COUNTERS_EVENTS; e++)
			fprintf(f, ",%s",
				counters_name((enum counters_event)e));
		fputs(",ipc,core_load_pct,while_running_pct\n", f);
		return ferror(f) ? -1 : 0;
	}
	seconds = (double)(counts->end_ns - counts->begin_ns) * 1e-9;
	running_pct = counters_load_pct(counts, width ? width : unknown);
	if (counts->count[COUNTERS_TASK_CLOCK].known && seconds > 0)
		share = counts->count[COUNTERS_TASK_CLOCK].value * 1e-9 /
			seconds;
	fprintf(f, "%s,%.9f", label, seconds);
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		fputc(',', f);
		if (counts->count[e].known)
			put(f, 0, counts->count[e].value);
	}
	fputc(',', f);
	put(f, 4, counters_ipc(counts));
	fputc(',', f);
	put(f, 4, running_pct * share);
	fputc(',', f);
	put(f, 4, running_pct);
	fputc('\n', f);
	return ferror(f) ? -1 : 0;
}
