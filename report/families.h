/* SPDX-License-Identifier: MIT */
#ifndef FAMILIES_H
#define FAMILIES_H

#include "doc.h"
#include "figures.h"
#include "load.h"
#include "rowtable.h"

/*
 * The chapters of the families of programs: the `family` lines of @t, each with
 * the programs that the rest of its file runs (docs/rows.md).
 */

/* families_contents() - an item for each family that has a program in @run, or
 * a figure whose first "program" is its folder. */
void families_contents(struct doc *d, const struct run *run,
		       const struct rowtable *t, const struct figures *figs);

/* families_write() - a few words, the core rows and the figures of each; all
 * rows of its programs folded. */
void families_write(struct doc *d, const struct run *run,
		    const struct rowtable *t, const struct figures *figs);

#endif
