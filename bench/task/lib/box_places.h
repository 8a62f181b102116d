/* SPDX-License-Identifier: MIT */
#ifndef BOX_PLACES_H
#define BOX_PLACES_H

#include "bench.h"
#include "box.h"

/* box_places() - directories, the program and a file for the overlay, in
 * x->dir.  Return: 0, bench_fail() or bench_skip(). */
int box_places(struct bench *b, struct box *x);

/* box_choose_group() - a name for control groups, noted so that none is left;
 * x->group is "" where this user can make none. */
void box_choose_group(struct bench *b, struct box *x);

#endif
