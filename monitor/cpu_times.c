// SPDX-License-Identifier: MIT
#include "cpu_times.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "sysfile.h"

#define FIELDS 8

static bool read_line(const char *line, struct cpu_times *cpu)
{
	uint64_t *const field[FIELDS] = {
		&cpu->user,   &cpu->nice, &cpu->system,	 &cpu->idle,
		&cpu->iowait, &cpu->irq,  &cpu->softirq, &cpu->steal,
	};
	unsigned int n = 0;

	while (n < FIELDS) {
		const int64_t ticks = field_number(field_nth(line, n + 1), -1);

		if (ticks < 0)
			break;
		*field[n++] = (uint64_t)ticks;
	}
	/* Without idle there is nothing to compute from. */
	cpu->online = n >= 4;
	return cpu->online;
}

int cpu_times_parse(const char *text, struct cpu_times *cpus, size_t max)
{
	const char *line = text;
	int highest = -EINVAL;

	memset(cpus, 0, max * sizeof(*cpus));
	while (line && *line) {
		int64_t cpu = -1;

		/* They come first; what follows is long and not for us. */
		if (strncmp(line, "cpu", 3) != 0)
			break;
		if (isdigit((unsigned char)line[3]))
			cpu = field_number(line + 3, -1);
		if (cpu >= 0 && cpu < (int64_t)max &&
		    read_line(line, &cpus[cpu]) && (int)cpu >= highest)
			highest = (int)cpu + 1;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return highest;
}

int cpu_list_parse(const char *text, bool *set, size_t max)
{
	const char *at = text;
	int64_t first, last;
	int n = 0;

	memset(set, 0, max * sizeof(*set));
	while (field_range(&at, &first, &last)) {
		if (last >= (int64_t)max)
			return -EINVAL;
		for (int64_t i = first; i <= last; i++) {
			n += !set[i];
			set[i] = true;
		}
	}
	/* Files end the line, options do not. */
	if (*at == '\n')
		at++;
	return *at || !n ? -EINVAL : n;
}
