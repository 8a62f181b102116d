/* SPDX-License-Identifier: MIT */
#ifndef FLEET_EXPORT_H
#define FLEET_EXPORT_H

#include "fleet.h"

/* fleet_export() - write DIR/fleet.json and .csv.  Return: 0, or -EIO
 * after the reason was said. */
int fleet_export(const struct fleet *f, const struct fleet *links,
		 const char *dir);

/* fleet_sample() - which nodes are shown one by one: those flagged, and of the
 * rest at most @most, evenly over the names.  @chosen: room for all nodes.
 * Return: how many. */
size_t fleet_sample(const struct fleet_node **chosen, const struct fleet *f,
		    size_t most);

#endif
