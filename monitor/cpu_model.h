/* SPDX-License-Identifier: MIT */
#ifndef CPU_MODEL_H
#define CPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "counters.h"

/*
 * The most instructions per cycle that a kind of core can keep up, by CPU
 * model: the "max Instructions per Cycle" of the paper's equation (1).  The
 * table is monitor/width.tsv.
 */
struct width_row {
	const char *vendor;
	unsigned int family, first_model, last_model;
	const char *pmu; /* "*": any */
	double width;
	const char *lacks; /* flag of /proc/cpuinfo; "-": none */
	const char *name, *source;
};

/* The table; a row without vendor ends it. */
extern const struct width_row width_table[];

/**
 * width_find() - the row for a kind of core.
 * @flags: of /proc/cpuinfo, blanks between; or NULL.
 * @pmu: the kernel's name of its PMU.
 * @contradicts: set if a row fits but for a flag that such a CPU cannot have;
 *		 the row is given all the same, its width must not be used.
 *
 * Return: the row, or NULL if the model is not in the table.
 */
const struct width_row *width_find(const struct counters_arch *arch,
				   const char *flags, const char *pmu,
				   bool *contradicts);

/* The model of this CPU, and its most instructions in a cycle. */
struct cpu_model {
	struct counters_arch arch;
	char *cpuinfo;
	const char *flags; /* in it */
	double forced;	   /* --width; 0: by the table */
};

/* cpu_model_read() - ask the processor; @forced_width as said, or 0.  Values
 * that cannot be read stay unknown.  cpu_model_free() it. */
void cpu_model_read(struct cpu_model *model, double forced_width);
void cpu_model_free(struct cpu_model *model);

/* cpu_model_width() - that of PMU @pmu, NAN where unknown.  @text: one line,
 * what it is and who says so. */
double cpu_model_width(const struct cpu_model *model, const char *pmu,
		       char *text, size_t size);

/* cpu_model_widths() - for each PMU that @c counts on, one where it has none;
 * NAN where unknown. */
void cpu_model_widths(const struct cpu_model *model, const struct counters *c,
		      double width[COUNTERS_PMUS]);

#endif
