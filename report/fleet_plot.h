/* SPDX-License-Identifier: MIT */
#ifndef FLEET_PLOT_H
#define FLEET_PLOT_H

#include "fleet.h"

/**
 * fleet_plot() - draw DIR/fleet-strips.svg (the costs of each row over the
 * nodes) and fleet-heat.svg (nodes by rows) of the largest class, by
 * @root/scripts/plot.
 *
 * Return: 0; EXIT_SKIP without gnuplot; -ENODATA if nothing can be drawn, or
 * another failure.
 */
int fleet_plot(const struct fleet *f, const char *root);

#endif
