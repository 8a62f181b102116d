// SPDX-License-Identifier: MIT
#include "summary.h"

#include <math.h>

static void add_counts(struct summary *sum, const struct row *row)
{
	const struct counters_count *count = row->counts.count;
	const double interval_s = (double)row->interval_ns / 1e9;
	const double load_pct = row_load_pct(row);
	const double instructions = count[COUNTERS_INSTRUCTIONS].value;

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (count[e].known) {
			sum->count[e] += count[e].value;
			sum->counted_s[e] += interval_s;
		}
	if (isfinite(counters_ipc(&row->counts))) {
		sum->ipc_instructions += instructions;
		sum->ipc_cycles += count[COUNTERS_CYCLES].value;
	}
	/* Backwards from the load: only counters.h knows how to weigh cores of
	 * several kinds.  Nothing retired: the cycles of one kind tell. */
	if (isfinite(load_pct)) {
		sum->load_instructions += instructions;
		sum->load_could += load_pct > 0 ? instructions * 100 / load_pct
						: count[COUNTERS_CYCLES].value *
							  row->width[0];
	}
}

void summary_add(struct summary *sum, const struct row *row)
{
	const double interval_s = (double)row->interval_ns / 1e9;
	const struct os_load *os = &row->os;

	sum->cpu = row->cpu;
	add_counts(sum, row);
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
	/* What one interval cut off the next one shows: it does not add up. */
	sum->step_s = fmax(sum->step_s, os->resolution_pct / 100 * interval_s);
}

double summary_os_load_pct(const struct summary *sum)
{
	return sum->os_s > 0 ? 100 * sum->busy_s / sum->os_s : NAN;
}

double summary_os_resolution_pct(const struct summary *sum)
{
	return sum->os_s > 0 ? 100 * sum->step_s / sum->os_s : NAN;
}

double summary_ipc(const struct summary *sum)
{
	return sum->ipc_cycles > 0 ? sum->ipc_instructions / sum->ipc_cycles
				   : NAN;
}

double summary_load_pct(const struct summary *sum)
{
	return sum->load_could > 0
		       ? 100 * sum->load_instructions / sum->load_could
		       : NAN;
}
