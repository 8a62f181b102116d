/* SPDX-License-Identifier: MIT */
#ifndef LOAD_ROWS_H
#define LOAD_ROWS_H

#include "bench.h"

/*
 * Rows load=system and load=core of a program: how busy the system says that a
 * core is while one of its loops runs, and how busy it is.
 *
 * load=system is the share of the time in which the thread ran or was ready to
 * run, over intervals of 3 ms.  Time in which it was ready and other work had
 * the CPU is in it, for the CPU is not idle then; what other work does while it
 * sleeps is not.  load=core is instructions / (all cycles x the most
 * instructions in a cycle): equation (1) of M. Schwarzbauer et al.,
 * "Processor-oriented performance measurement tool" (2010).
 */
#define LOAD_AXIS "load={system,core} "
#define LOAD_RULES                                \
	"is exclusive; is higher unit='%' waits;" \
	"is derived of=[load=system] if load=core;"

/* load_interval() - one sample of both, for sample() of load=system: does @run
 * for 3 ms.  Return: 0 or bench_fail(). */
int load_interval(struct bench *b, void *state, const struct bench_case *c,
		  bench_run_fn *run);

/* Defines that sample(), of the loop @run (of its case @c). */
#define LOAD_SAMPLE(name, run)                          \
	static int name(struct bench *b, void *state,   \
			const struct bench_case *c)     \
	{                                               \
		return load_interval(b, state, c, run); \
	}

/* load_derive() - in derive(): why load=core has no value, and which width it
 * rests on. */
void load_derive(struct bench *b);

#endif
