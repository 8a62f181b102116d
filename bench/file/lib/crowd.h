/* SPDX-License-Identifier: MIT */
#ifndef CROWD_H
#define CROWD_H

#include "bench.h"

/*
 * Cases that so many processes do at once, on whatever CPUs the kernel gives
 * them.  Each goes from enter() to leave() of a descriptor of its own, as
 * number b->copy, with a copy of the state that setup() has left; sample() does
 * one event.  The value is the time of an operation as one process sees it,
 * waits for a CPU among it.
 */
#define CROWD_AXIS "procs"

/* Callbacks of the program; @one: what each process goes through, without
 * setup(), cases() and teardown(). */
int crowd_enter(struct bench *b, const struct bench_desc *one, void *state,
		const struct bench_case *c);
int crowd_sample(struct bench *b, void *state, const struct bench_case *c);
int crowd_leave(struct bench *b, void *state, const struct bench_case *c);

/* crowd_derive() - figure=intercept, slope and r2 are of the line through the
 * cases of each series. */
void crowd_derive(struct bench *b);

/* crowd_stop() - in teardown(). */
void crowd_stop(void);

#endif
