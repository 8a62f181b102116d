/* SPDX-License-Identifier: MIT */
#ifndef FLEET_TABLE_H
#define FLEET_TABLE_H

#include "doc.h"
#include "fleet.h"

/* fleet_common() - set what most nodes of each class have. */
void fleet_common(struct fleet *f);

/* Tables: the classes; what differs within them; flagged nodes, and the rows in
 * which they are beyond; nodes without results; failed rows; rows with two
 * levels; all rows over the nodes. */
void fleet_classes(struct table *t, const struct fleet *f);
void fleet_differs(struct table *t, const struct fleet *f);
void fleet_slow(struct table *t, const struct fleet *f);
void fleet_slow_rows(struct table *t, const struct fleet *f);
void fleet_absent(struct table *t, const struct fleet *f);
void fleet_failures(struct table *t, const struct fleet *f);
void fleet_split(struct table *t, const struct fleet *f);
void fleet_rows(struct table *t, const struct fleet *f);

/* fleet_count() - one line for the top; a new string. */
char *fleet_count(const struct fleet *f, const struct fleet *links);

/* fleet_drain() - the command that takes a bad node out of a Slurm cluster; a
 * new string, or NULL: it is not bad.  It is printed, never executed. */
char *fleet_drain(const struct fleet *f, const struct fleet *links,
		  const struct fleet_node *node);

#endif
