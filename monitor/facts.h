/* SPDX-License-Identifier: MIT */
#ifndef FACTS_H
#define FACTS_H

#include <stdio.h>

#include "settings.h"
#include "target.h"

/* What holds for all samples: the CPU, its counters, what is not counted and
 * why. */
struct facts {
	const struct settings *set;
	const struct cpu_model *model;
	const struct target *target;
};

/* facts_say() - once, on stderr. */
void facts_say(const struct facts *facts);

/* facts_head() - the lines above the live table.  free() it; NULL if there is
 * no memory. */
char *facts_head(const struct facts *facts);

/* facts_json() - one line, {"type": "begin", ...}. */
void facts_json(FILE *f, const struct facts *facts, const struct stamp *at);

#endif
