/* SPDX-License-Identifier: MIT */
#ifndef CPU_MODEL_H
#define CPU_MODEL_H

#include <stddef.h>

#include "counters.h"
#include "sysfile.h"
#include "width.h"

/* What CPU this is and how much it could do in a cycle. */
struct cpu_model {
	struct counters_arch arch;
	char *cpuinfo;
	struct width_cpu cpu;
	double forced; /* --width; 0: by the table */
};

/* cpu_model_read() - ask the processor; @forced_width as said, or 0.  What
 * cannot be read stays unknown.  cpu_model_free() it. */
void cpu_model_read(struct cpu_model *model, double forced_width);

/* cpu_model_none() - of a machine that is not this one: only @forced_width. */
void cpu_model_none(struct cpu_model *model, double forced_width);
void cpu_model_free(struct cpu_model *model);

/* cpu_model_widths() - for each PMU that @c counts on (one, if @c is NULL);
 * NAN where unknown. */
void cpu_model_widths(const struct cpu_model *model, const struct counters *c,
		      double width[COUNTERS_PMUS]);

/* cpu_model_say_width() - one line on the width of PMU @pmu and who says so. */
void cpu_model_say_width(const struct cpu_model *model, const char *pmu,
			 char *text, size_t size);

/* cpu_model_say_counters() - one line: the architectural version, and how many
 * counters there are. */
void cpu_model_say_counters(const struct cpu_model *model, char *text,
			    size_t size);

#endif
