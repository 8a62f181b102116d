/* SPDX-License-Identifier: MIT */
/* Made-up rounds of one row: which way withholds its interval. */
#include <math.h>

#include "leaks.h"
#include "load.h"
#include "stats.h"
#include "tap.h"

/* Whether twenty rounds that go from 100 by @step, each @off from its line
 * up or down, have a trend; their interval is @half to both sides. */
static bool has_trend(double step, double off, double half)
{
	double x[20];
	struct row row = { .values = x, .n = 20 };
	struct run run = { .rows = &row, .nrows = 1 };
	bool found;

	for (int i = 0; i < 20; i++)
		x[i] = 100 + step * i + (i % 2 ? off : -off);
	result_init(&row.all);
	row.all.value = 100 + step * 9.5;
	row.all.ci95[0] = row.all.value - half;
	row.all.ci95[1] = row.all.value + half;
	trend_mark(&run);
	found = row.all.trend;
	OK(found != isfinite(row.all.ci95[0]), "a trend or an interval");
	result_free(&row.all);
	return found;
}

int main(void)
{
	OK(has_trend(1, 0.2, 3), "19 % in the run is a trend");
	OK(has_trend(-1, 0.2, 3), "or down");
	OK(!has_trend(0.01, 0, 0.05),
	   "0.2 % is none, however well the rounds agree: 10.9 -> 10.9 ns");
	OK(!has_trend(0.09, 0, 0.1), "as little as grade A allows");
	OK(has_trend(0.12, 0, 0.1), "and a little more");
	OK(!has_trend(0.2, 0, 3), "less than another run may differ by");
	OK(!has_trend(0, 1, 1), "up and down");
	return tap_done();
}
