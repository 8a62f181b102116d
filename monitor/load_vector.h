/* SPDX-License-Identifier: MIT */
#ifndef LOAD_VECTOR_H
#define LOAD_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"

/* In ARCH/.  load_vector_usable() - whether processor and system have the
 * vectors that arch/ knows (ARCH_VECTOR_NAME, of ARCH_VECTOR_LANES doubles).
 * load_vector_lanes() - @rounds > 0 times LOAD_VECTOR_ADDS additions of 1.0 to
 * all lanes of eight vector registers in turn, which do not wait for each
 * other; only where they are usable.  @lanes: what the registers hold then. */
#define LOAD_VECTOR_ADDS 64
bool load_vector_usable(void);
void load_vector_lanes(uint64_t rounds, double lanes[8][ARCH_VECTOR_LANES]);

#endif
