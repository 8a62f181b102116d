// SPDX-License-Identifier: MIT
#include "width.h"

#include <stddef.h>
#include <string.h>

static bool has_flag(const char *flags, const char *flag)
{
	const size_t n = strlen(flag);
	const char *at = flags;

	while (at && (at = strstr(at, flag))) {
		const bool begins = at == flags || at[-1] == ' ';

		at += n;
		if (begins && (!*at || *at == ' ' || *at == '\n'))
			return true;
	}
	return false;
}

static bool fits(const struct width_row *row, const struct width_cpu *cpu,
		 const char *pmu)
{
	return !strcmp(row->vendor, cpu->vendor) &&
	       row->family == cpu->family && cpu->model >= row->first_model &&
	       cpu->model <= row->last_model &&
	       (!strcmp(row->pmu, "*") || !strcmp(row->pmu, pmu));
}

const struct width_row *width_find(const struct width_cpu *cpu, const char *pmu,
				   bool *contradicts)
{
	*contradicts = false;
	for (const struct width_row *row = width_table; row->vendor; row++)
		if (fits(row, cpu, pmu)) {
			*contradicts = has_flag(cpu->flags, row->lacks);
			return row;
		}
	return NULL;
}
