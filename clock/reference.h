/* SPDX-License-Identifier: MIT */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#include "timer.h"

/*
 * The core's own clock, from chains of operations whose cycles are known.  It
 * is taken around each visit, and `cycles` of every row come from it.
 */
#define REFERENCE_LINKS 512 /* operations in a round of a chain */

/* reference_adds(), reference_muls() - @rounds times REFERENCE_LINKS dependent
 * additions, each of one core cycle, or multiplications, each of
 * timer.multiply_cycles.  With a register operand: recent cores add a small
 * constant while renaming, in no time at all. */
void reference_adds(uint64_t rounds);
void reference_muls(uint64_t rounds);

/* reference_independent() - @rounds > 0 times REFERENCE_INDEPENDENT additions
 * that do not wait for each other.  Return: how many: the sum. */
#define REFERENCE_INDEPENDENT 64
uint64_t reference_independent(uint64_t rounds);

/**
 * reference_multiply_cycles() - core cycles of a multiplication.
 * @add, @mul: ticks of one of each in a chain.
 *
 * An addition is one cycle, but beside a busy hardware thread a long chain of
 * them was seen to take 1.031 for minutes, when one of multiplications took
 * 3.002.  So additions only say how many whole cycles a multiplication has.
 *
 * Return: a whole number, or the ratio where it is not within 0.2 of one; 0 if
 * it cannot be told.
 */
double reference_multiply_cycles(double add, double mul);

/* reference_calibrate() - fill core_hz, multiply_cycles and what
 * reference_hz() needs.  @t: method, hz and quantum_ticks are there. */
void reference_calibrate(struct timer *t);

/* reference_hz() - the core's frequency now from the fastest of three short
 * chains, in about 5 us (0.3 ms with a coarse clock): within 1 % where one of
 * them is not interrupted, else too low; 0 if unknown.  Reads by LFENCE
 * whatever the method, but for clock.  @t: calibrated. */
double reference_hz(const struct timer *t);

/* reference_rate() - the frequency at which such a chain takes @ticks. */
double reference_rate(const struct timer *t, uint64_t ticks);

/**
 * reference_share() - independent additions for each core cycle, now.
 * @t: method and hz are used.
 *
 * Two hardware threads of a core (SMT) share its execution units, in a
 * virtual machine perhaps with another guest.  While the other one works, code
 * that fills the core takes up to twice as long, and neither a gap in the
 * clock nor the kernel's count of steal nor a chain of dependent operations
 * shows it.  A core on its own does as many independent additions as it has
 * units for them: 4 or 5 on most of today's; beside a busy thread about half.
 * The cycles come from reference_adds(), so that the frequency is not in it;
 * the least time of a few tries, since an interrupt in one would look like a
 * busy thread.  Takes some 20 us and touches no memory.
 *
 * Return: the rate; NAN if unknown.
 */
double reference_share(const struct timer *t);

#endif
