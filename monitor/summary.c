// SPDX-License-Identifier: MIT
#include "row.h"

#include <math.h>

static void add_counts(struct summary *sum, const struct row *row,
		       double interval_s)
{
	const struct figures x = row_figures(row);
	const double instructions = x.count[COUNTERS_INSTRUCTIONS];
	const double cycles = x.count[COUNTERS_CYCLES];

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (isfinite(x.count[e])) {
			sum->count[e] += x.count[e];
			sum->counted_s[e] += interval_s;
		}
	if (isfinite(x.ipc)) {
		sum->ipc_instructions += instructions;
		sum->ipc_cycles += cycles;
	}
	/* Backwards from the load: only counters.h knows how to weigh cores of
	 * several kinds.  Nothing retired: the cycles of one kind tell. */
	if (isfinite(x.while_running_pct)) {
		sum->running_instructions += instructions;
		sum->running_could +=
			x.while_running_pct > 0
				? instructions * 100 / x.while_running_pct
				: cycles * row->width[0];
	}
	if (isfinite(x.core_load_pct)) {
		sum->core_s += interval_s;
		sum->core_busy_s += x.core_load_pct / 100 * interval_s;
	}
}

void summary_add(struct summary *sum, const struct row *row)
{
	const double interval_s = (double)row->interval_ns / 1e9;
	const struct os_load *os = &row->os;

	sum->cpu = row->cpu;
	add_counts(sum, row, interval_s);
	if (os->state != OS_OK) {
		sum->unknown_s += interval_s;
		return;
	}
	if (!(sum->os_s > 0)) {
		sum->least = os->load_pct;
		sum->most = os->load_pct;
	}
	sum->least = fmin(sum->least, os->load_pct);
	sum->most = fmax(sum->most, os->load_pct);
	sum->os_s += interval_s;
	sum->busy_s += os->load_pct / 100 * interval_s;
	/* The next interval has this one's rounding error: no sum. */
	sum->step_s = fmax(sum->step_s, os->resolution_pct / 100 * interval_s);
}

/* NAN where nothing is known. */
static double ratio(double part, double all)
{
	return all > 0 ? part / all : NAN;
}

struct figures summary_figures(const struct summary *sum)
{
	struct figures x = {
		.os = os_load_unknown(OS_OK),
		.core_load_pct = 100 * ratio(sum->core_busy_s, sum->core_s),
		.while_running_pct = 100 * ratio(sum->running_instructions,
						 sum->running_could),
		.ipc = ratio(sum->ipc_instructions, sum->ipc_cycles),
		.counted_pct = NAN,
	};

	x.os.load_pct = 100 * ratio(sum->busy_s, sum->os_s);
	x.os.resolution_pct = 100 * ratio(sum->step_s, sum->os_s);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		x.count[e] = sum->counted_s[e] > 0 ? sum->count[e] : NAN;
	return x;
}
