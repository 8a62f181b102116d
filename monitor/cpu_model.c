// SPDX-License-Identifier: MIT
#include "cpu_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cpu_model_none(struct cpu_model *model, double forced_width)
{
	memset(model, 0, sizeof(*model));
	model->forced = forced_width;
	model->cpu.vendor = model->arch.vendor;
}

void cpu_model_read(struct cpu_model *model, double forced_width)
{
	struct counters_leaf leaves[COUNTERS_LEAVES];
	const size_t n = counters_cpuid(leaves);

	cpu_model_none(model, forced_width);
	/* Where there is no CPUID, nothing is known: all stays zero. */
	(void)counters_decode(&model->arch, leaves, n);
	model->cpuinfo = sysfile_text("/proc/cpuinfo");
	/* The line of the first CPU; all have the same. */
	model->cpu.flags = field_behind(model->cpuinfo, "flags");
	if (model->cpu.flags)
		*strchrnul(model->cpu.flags, '\n') = '\0';
	model->cpu.family = model->arch.family;
	model->cpu.model = model->arch.model;
}

void cpu_model_free(struct cpu_model *model)
{
	free(model->cpuinfo);
}

static double width_of(const struct cpu_model *model, const char *pmu)
{
	const struct width_row *row;
	bool contradicts;

	if (model->forced > 0)
		return model->forced;
	row = width_find(&model->cpu, pmu, &contradicts);
	return row && !contradicts ? row->width : NAN;
}

void cpu_model_widths(const struct cpu_model *model, const struct counters *c,
		      double width[COUNTERS_PMUS])
{
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++) {
		const char *pmu = c ? counters_pmu_name(c, i) : NULL;

		width[i] = pmu || !i ? width_of(model, pmu ? pmu : "cpu") : NAN;
	}
}

void cpu_model_say_width(const struct cpu_model *model, const char *pmu,
			 char *text, size_t size)
{
	const struct width_cpu *cpu = &model->cpu;
	const struct width_row *row;
	bool contradicts;
	int n;

	if (model->forced > 0) {
		snprintf(text, size, "%g, as --width says", model->forced);
		return;
	}
	row = width_find(cpu, pmu, &contradicts);
	if (row && !contradicts) {
		snprintf(text, size, "%g (%s: %s)", row->width, row->name,
			 row->source);
		return;
	}
	n = snprintf(text, size, "unknown (%s family %u model %u ",
		     *cpu->vendor ? cpu->vendor : "CPU of", cpu->family,
		     cpu->model);
	if (n < 0 || (size_t)n >= size)
		return;
	if (row)
		snprintf(text + n, size - (size_t)n,
			 "would be %s, which has no %s, but this CPU has: the "
			 "hypervisor hides its model; --width sets it)",
			 row->name, row->lacks);
	else
		snprintf(text + n, size - (size_t)n,
			 "is not in the table; --width sets it)");
}

void cpu_model_say_counters(const struct cpu_model *model, char *text,
			    size_t size)
{
	const struct counters_arch *arch = &model->arch;
	const char *leaf = !strcmp(arch->vendor, "GenuineIntel")
				   ? " (CPUID leaf 0AH)"
			   : !strcmp(arch->vendor, "AuthenticAMD")
				   ? " (CPUID leaf 80000022H)"
				   : "";

	if (!arch->version && !arch->counters)
		snprintf(text, size,
			 "performance monitoring version 0%s: no counters%s",
			 leaf,
			 arch->hypervisor ? "; the hypervisor gives none" : "");
	else
		snprintf(text, size,
			 "performance monitoring version %u%s: %u counters of "
			 "%u bits, %u fixed of %u bits",
			 arch->version, leaf, arch->counters,
			 arch->counter_bits, arch->fixed, arch->fixed_bits);
}
