/* SPDX-License-Identifier: MIT */
#ifndef EXPORT_CI_H
#define EXPORT_CI_H

#include <stdio.h>

#include "card.h"
#include "load.h"

/*
 * Rows in the formats of CI systems.  Each returns 0 or -ENOMEM.
 *
 * bencher: Bencher Metric Format; latency in ns, other measures by unit.
 * google: JSON of google-benchmark, schema 1: a repetition for each
 * invocation; rows that are neither times nor rates are left out.
 * ktap: KTAP version 1, a test for each row.
 * junit: JUnit XML, a test for each row.
 * tsv: for cut and awk, a line for each row with a value, and what @card calls
 * it.
 */
int export_bencher(FILE *f, const struct run *run);
int export_google(FILE *f, const struct run *run);
int export_ktap(FILE *f, const struct run *run);
int export_junit(FILE *f, const struct run *run);
int export_tsv(FILE *f, const struct run *run, const struct card *card);

#endif
