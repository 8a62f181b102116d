/* SPDX-License-Identifier: MIT */
#ifndef WALL_CLOCK_H
#define WALL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The wall clock (CLOCK_REALTIME), by which the kernel stamps packets and
 * messages: what is held against such a stamp must be read from it too.  It is
 * the one clock that may be set meanwhile.
 */

/* wall_clock_watch() - notice when it is set, from now on.  Return: descriptor,
 * or -1: the kernel will not tell; close() it. */
int wall_clock_watch(void);

/* wall_clock_was_set() - since the last call, or since @watch was made; always
 * false if that is -1. */
bool wall_clock_was_set(int watch);

#endif
