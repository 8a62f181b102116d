/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include <stdbool.h>
#include <stdio.h>

#include "load.h"

/* The rows in formats that other people's tools read. */

/* export_gobench() - Go benchmark format, a line for each invocation, so that
 * benchstat can make its statistics.
 * Source: golang.org/design/14313-benchmark-format */
void export_gobench(FILE *f, const struct run *run);

/* export_openmetrics() - gauges in base units, for the textfile collector of
 * Prometheus' node_exporter.  Source: the OpenMetrics specification 1.0. */
void export_openmetrics(FILE *f, const struct run *run);

/* export_dashboard() - JSON of name, value, unit and range, as
 * github-action-benchmark takes it: the rows of which more is better if
 * @bigger, else the others.  Return: 0 or -ENOMEM. */
int export_dashboard(FILE *f, const struct run *run, bool bigger);

#endif
