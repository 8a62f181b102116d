/* SPDX-License-Identifier: MIT */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu_load.h"
#include "cpu_model.h"
#include "row.h"

/* The CPUs whose load is taken.  Each remembers its last reading; rows are made
 * of the difference. */
struct cpus;

/* stamp_now() - both clocks. */
struct stamp stamp_now(void);

/* cpus_open() - @why: on failure, one sentence.  Return: 0 or -errno, -EINVAL
 * for a list that is none or has a CPU that is not there.  cpus_close() it;
 * NULL is fine. */
int cpus_open(struct cpus **opened, const struct settings *settings,
	      const struct cpu_model *model, const char **why);
void cpus_close(struct cpus *all);

/* cpus_count() - rows of a sample. */
size_t cpus_count(const struct cpus *all);

/* cpus_counters() - a set of counters to ask for names and reasons; NULL:
 * none. */
const struct counters *cpus_counters(const struct cpus *all);

/* cpus_sample() - read, and fill @rows with what happened since the last call;
 * the first only reads.  Return: 0 or -errno. */
int cpus_sample(struct cpus *all, struct row *rows);

#endif
