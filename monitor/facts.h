/* SPDX-License-Identifier: MIT */
#ifndef FACTS_H
#define FACTS_H

#include <stdint.h>
#include <stdio.h>

#include "cpus.h"

/* What holds for all samples: the CPU, its counters, what is not counted and
 * why. */
struct facts {
	const char *source; /* of the system's load */
	uint64_t interval_ns;
	struct cpu_model model;
	struct cpus *cpus;
};

/* facts_text() - a line each, as stand above the live table.  free() it; NULL
 * if there is no memory. */
char *facts_text(const struct facts *facts);

/* facts_json() - one line, {"type": "begin", ...}. */
void facts_json(FILE *f, const struct facts *facts, const struct stamp *at);

#endif
