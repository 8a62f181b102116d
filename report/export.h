/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdio.h>

#include "load.h"

/* export_csv() - all rows, one line each, with a heading, as the programs'
 * --csv writes them.  Return: 0 or -ENOMEM. */
int export_csv(FILE *f, const struct run *run);

/* export_json() - {schema, machine, run, rows}.  Return: 0 or -ENOMEM. */
int export_json(FILE *f, const struct run *run);

/* The families of metrics that OpenMetrics has for rows: export_families() -
 * the head of each, and after it the samples that @samples puts by
 * export_sample(); @node: a label of its own, or NULL.  export_label() -
 * name="value", escaped. */
struct export_family;
typedef void export_samples_fn(FILE *f, const struct export_family *m,
			       const void *arg);
void export_families(FILE *f, export_samples_fn *samples, const void *arg);
void export_sample(FILE *f, const struct export_family *m,
		   const struct result *r, const char *node);
void export_label(FILE *f, const char *name, const char *value);

#endif
