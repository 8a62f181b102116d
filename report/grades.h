/* SPDX-License-Identifier: MIT */
#ifndef GRADES_H
#define GRADES_H

#include "load.h"

/*
 * How far the values of another run may lie (harness/rows/grade.h): widened by
 * the earlier runs that are known, and summed up for the run.
 */

/* grades_earlier() - grade the rows of @run by the earlier runs beside its
 * directory too: as far as a value of the last 10 of the same machine, kernel,
 * build and settings lies from the row's.  Their report.json is read; rows that
 * are of the worst grade by themselves are left out. */
void grades_earlier(struct run *run);

/* grades_of_run() - the grade that 9 of 10 core rows have at least, 0 if there
 * is none; *@text: one sentence of what it means. */
char grades_of_run(const struct run *run, const char **text);

#endif
