// SPDX-License-Identifier: MIT
#include "grid.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

uint64_t grid_next(const struct grid *grid)
{
	const uint64_t next =
		grid->start_ns + (grid->passed + 1) * grid->interval_ns;

	return grid->end_ns && grid->end_ns < next ? grid->end_ns : next;
}

uint64_t grid_serve(struct grid *grid, uint64_t now_ns)
{
	const uint64_t before = grid->passed;
	uint64_t until = now_ns;

	/* Behind the end there are no deadlines. */
	if (grid->end_ns && until > grid->end_ns)
		until = grid->end_ns;
	grid->passed = (until - grid->start_ns) / grid->interval_ns;
	return grid->passed > before ? grid->passed - before - 1 : 0;
}

bool grid_over(const struct grid *grid, uint64_t now_ns)
{
	return grid->end_ns && now_ns >= grid->end_ns;
}

int duration_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },   { "s", 1e9 },  { "ms", 1e6 },
		{ "us", 1e3 }, { "m", 60e9 }, { "h", 3600e9 },
	};
	const double limit_ns = 100.0 * 365.25 * 86400e9;
	double value;
	char *end;

	/* strtod() alone would take signs, "inf" and hexadecimal. */
	if (!isdigit((unsigned char)text[0]) ||
	    (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
		return -EINVAL;
	value = strtod(text, &end);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		if (value * units[i].ns > limit_ns)
			return -EINVAL;
		*ns = (uint64_t)llround(value * units[i].ns);
		return 0;
	}
	return -EINVAL;
}
