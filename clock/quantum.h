/* SPDX-License-Identifier: MIT */
#ifndef QUANTUM_H
#define QUANTUM_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#endif

/*
 * The step in which a clock advances, from differences of its readings.
 *
 * It need be no whole number of ticks: a TSC of 2.25 GHz that is brought up to
 * date every 10 ns has steps of 22.5 ticks, of which a reading shows 22 or 23.
 * Then the differences have no common divisor, and yet each of them is within
 * one tick of a multiple of the step.
 *
 * One source for the programs and for the kernel module, so: integers of 32
 * bits, no allocation.
 */
#define QUANTUM_LENGTHS 256
#define QUANTUM_ONE	65536u /* quantum_step() of one tick */

struct quantum {
	uint32_t divisor; /* greatest common one of all differences; 0: none */
	uint32_t n;	  /* differences seen, without zeros */
	uint32_t lengths; /* different ones, in order: */
	uint32_t length[QUANTUM_LENGTHS];
};

void quantum_start(struct quantum *q);

/* quantum_add() - one difference of two readings, ticks.  Zeros and what is
 * over 65534 (an interrupt) are left out; take them at irregular distances, or
 * what is found is the step of the loop that reads. */
void quantum_add(struct quantum *q, uint64_t difference);

/* quantum_is_fine() - it is known already that the step is one tick. */
bool quantum_is_fine(const struct quantum *q);

/* quantum_step() - the step, in 65536ths of a tick; at least 65536.  Broken
 * steps are found from 5 ticks up, the more exactly the greater the multiples
 * that were seen; 20 readings prove that there is none.  One difference that
 * contradicts (the clock was set) makes it one tick. */
uint32_t quantum_step(const struct quantum *q);

#endif
