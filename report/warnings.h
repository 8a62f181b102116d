/* SPDX-License-Identifier: MIT */
#ifndef WARNINGS_H
#define WARNINGS_H

#include "load.h"

/* warnings_add() - what the results say against themselves, each with the
 * remedy, as notes of @run. */
void warnings_add(struct run *run);

#endif
