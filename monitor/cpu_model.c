// SPDX-License-Identifier: MIT
#include "cpu_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"

static bool fits(const struct width_row *row, const struct counters_arch *arch,
		 const char *pmu)
{
	return !strcmp(row->vendor, arch->vendor) &&
	       row->family == arch->family && arch->model >= row->first_model &&
	       arch->model <= row->last_model &&
	       (!strcmp(row->pmu, "*") || !strcmp(row->pmu, pmu));
}

const struct width_row *width_find(const struct counters_arch *arch,
				   const char *flags, const char *pmu,
				   bool *contradicts)
{
	*contradicts = false;
	for (const struct width_row *row = width_table; row->vendor; row++)
		if (fits(row, arch, pmu)) {
			*contradicts = field_has_word(flags, row->lacks);
			return row;
		}
	return NULL;
}

void cpu_model_read(struct cpu_model *model, double forced_width)
{
	struct counters_leaf leaves[COUNTERS_LEAVES];
	const size_t n = counters_cpuid(leaves);

	memset(model, 0, sizeof(*model));
	model->forced = forced_width;
	/* Where there is no CPUID, nothing is known: all stays zero. */
	(void)counters_decode(&model->arch, leaves, n);
	model->cpuinfo = sysfile_text("/proc/cpuinfo");
	/* The line of the first CPU; all have the same. */
	model->flags = field_behind(model->cpuinfo, "flags");
	if (model->flags)
		*strchrnul(model->flags, '\n') = '\0';
}

void cpu_model_free(struct cpu_model *model)
{
	free(model->cpuinfo);
}

double cpu_model_width(const struct cpu_model *model, const char *pmu,
		       char *text, size_t size)
{
	const struct counters_arch *arch = &model->arch;
	const char *vendor = *arch->vendor ? arch->vendor : "CPU of";
	const struct width_row *row;
	bool contradicts;

	if (model->forced > 0) {
		snprintf(text, size, "%g, as --width says", model->forced);
		return model->forced;
	}
	row = width_find(arch, model->flags, pmu, &contradicts);
	if (row && !contradicts) {
		snprintf(text, size, "%g (%s: %s)", row->width, row->name,
			 row->source);
		return row->width;
	}
	if (row)
		snprintf(text, size,
			 "unknown (%s family %u model %u would be %s, which "
			 "has no %s, but this CPU has: the hypervisor hides "
			 "its model; --width sets it)",
			 vendor, arch->family, arch->model, row->name,
			 row->lacks);
	else
		snprintf(text, size,
			 "unknown (%s family %u model %u is not in the table; "
			 "--width sets it)",
			 vendor, arch->family, arch->model);
	return NAN;
}

void cpu_model_widths(const struct cpu_model *model, const struct counters *c,
		      double width[COUNTERS_PMUS])
{
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++) {
		const char *pmu = counters_pmu_name(c, i);

		if (!pmu && !i)
			pmu = "cpu";
		width[i] = pmu ? cpu_model_width(model, pmu, NULL, 0) : NAN;
	}
}
