/* SPDX-License-Identifier: MIT */
#ifndef LOAD_WORK_H
#define LOAD_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch.h"

/*
 * Work that fills an interval with one kind of instruction, in pieces of
 * known length whose result tells that they were done.
 */
#define LOAD_ADDS 128 /* additions in one round of load_add() */

/* load_add() - @rounds times LOAD_ADDS additions to eight registers in turn,
 * which do not wait for each other.  Return: the sum of all registers, which
 * is rounds x LOAD_ADDS. */
uint64_t load_add(uint64_t rounds);

#define LOAD_VECTOR_ADDS 64 /* additions of vectors in one of its rounds */

/* In ARCH/: load_vector_usable() - whether processor and system have the
 * vectors that arch/ knows (ARCH_VECTOR_NAME, of ARCH_VECTOR_LANES doubles);
 * load_vector_lanes() - load_vector()'s loop, what it leaves in the registers.
 */
bool load_vector_usable(void);
void load_vector_lanes(uint64_t rounds, double lanes[8][ARCH_VECTOR_LANES]);

/* load_vector() - @rounds times LOAD_VECTOR_ADDS additions of 1.0 to all lanes
 * of eight vector registers in turn.  Only where load_vector_usable().  Return:
 * the sum of all lanes: rounds x LOAD_VECTOR_ADDS x ARCH_VECTOR_LANES. */
double load_vector(uint64_t rounds);

#endif
