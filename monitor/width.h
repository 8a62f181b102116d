/* SPDX-License-Identifier: MIT */
#ifndef WIDTH_H
#define WIDTH_H

#include <stdbool.h>

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

/* What width_find() asks for. */
struct width_cpu {
	const char *vendor;
	unsigned int family, model;
	const char *flags; /* of /proc/cpuinfo, blanks between; or NULL */
};

/**
 * width_find() - the row for a kind of core.
 * @pmu: the kernel's name of its PMU.
 * @contradicts: set if a row fits but for a flag that such a CPU cannot have;
 *		 the row is given all the same, its width must not be used.
 *
 * Return: the row, or NULL if the model is not in the table.
 */
const struct width_row *width_find(const struct width_cpu *cpu, const char *pmu,
				   bool *contradicts);

#endif
