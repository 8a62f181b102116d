/* SPDX-License-Identifier: MIT */
#ifndef PAIRS_H
#define PAIRS_H

#include "doc.h"
#include "load.h"
#include "rowtable.h"

/*
 * New ways of doing something against old ones: the `pair` lines of a rowtable
 * (docs/rows.md).
 */

/* pairs_table() - each point that both ways have, with the ratio of new to old
 * and its 95 % interval; each pair with its verdict. */
void pairs_table(struct table *table, const struct rowtable *t,
		 const struct run *run);

/* pairs_any() - whether @run has a row of one; pairs_write() - the table, under
 * its heading, if so. */
bool pairs_any(const struct rowtable *t, const struct run *run);
void pairs_write(struct doc *d, const struct rowtable *t,
		 const struct run *run);

#endif
