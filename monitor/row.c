// SPDX-License-Identifier: MIT
#include "row.h"

#include <math.h>
#include <stdio.h>

double row_load_pct(const struct row *row)
{
	return counters_load_pct(&row->counts, row->width);
}

double row_share_pct(const struct row *row)
{
	double least = NAN;

	for (int e = 0; e < COUNTERS_HARDWARE; e++)
		if (row->counts.count[e].known)
			least = fmin(least, row->counts.count[e].share);
	return 100 * least;
}

const char *row_cpu_name(char buf[16], int cpu)
{
	if (cpu == ROW_PROCESS)
		return "process";
	if (cpu == ROW_CGROUP)
		return "cgroup";
	snprintf(buf, 16, "%d", cpu);
	return buf;
}
