/* SPDX-License-Identifier: MIT */
#ifndef MOVES_H
#define MOVES_H

#include "load.h"

/* moves_find() - by the `moves` lines below @root: how far each row that they
 * name moves with the place of its code, as this run measured it. */
void moves_find(struct run *run, const char *root);

#endif
