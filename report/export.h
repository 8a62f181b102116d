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

#endif
