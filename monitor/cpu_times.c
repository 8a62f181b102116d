// SPDX-License-Identifier: MIT
#include "cpu_times.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8

/* Digits only: strtoull() alone would take a sign. */
static bool read_number(const char **at, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*value = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}

static bool read_line(const char *at, struct cpu_times *cpu)
{
	uint64_t *const field[FIELDS] = {
		&cpu->user,   &cpu->nice, &cpu->system,	 &cpu->idle,
		&cpu->iowait, &cpu->irq,  &cpu->softirq, &cpu->steal,
	};
	unsigned int n = 0;

	while (n < FIELDS) {
		while (*at == ' ')
			at++;
		if (!read_number(&at, field[n]))
			break;
		n++;
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
		const char *at = line + 3;
		uint64_t cpu;

		/* They come first; what follows is long and not for us. */
		if (strncmp(line, "cpu", 3) != 0)
			break;
		if (read_number(&at, &cpu) && *at == ' ' && cpu < max &&
		    read_line(at, &cpus[cpu]) && (int)cpu >= highest)
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
	int n = 0;

	memset(set, 0, max * sizeof(*set));
	for (;;) {
		uint64_t first, last;

		if (!read_number(&at, &first))
			return -EINVAL;
		last = first;
		if (*at == '-') {
			at++;
			if (!read_number(&at, &last))
				return -EINVAL;
		}
		if (last < first || last >= max)
			return -EINVAL;
		for (uint64_t i = first; i <= last; i++) {
			n += !set[i];
			set[i] = true;
		}
		if (*at != ',')
			break;
		at++;
	}
	/* Files end the line, options do not. */
	if (*at == '\n')
		at++;
	return *at ? -EINVAL : n;
}
