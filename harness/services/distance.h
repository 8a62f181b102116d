/* SPDX-License-Identifier: MIT */
#ifndef DISTANCE_H
#define DISTANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * How far apart two CPUs are now: the time that a cache line takes there and
 * back.  A host moves the CPUs of a guest from core to core, and what two of
 * them do together follows.
 */
#define DISTANCE_LAST UINT64_MAX /* ends distance_answer() */

/* distance_answer() - the other side: answer every odd number in @line with
 * the next even one, until DISTANCE_LAST comes.  Return: how many. */
uint64_t distance_answer(_Atomic uint64_t *line);

/* distance_trips() - send @line, which holds an even number, there and back
 * @n times.  Return: false where no answer comes for some ten seconds. */
bool distance_trips(_Atomic uint64_t *line, uint64_t n);

/**
 * distance_ns() - of the calling CPU and @cpu: one round trip, as in the
 * fastest of a few series of them.  A call takes 75 us where they are near,
 * up to 300 us where they are far apart.
 *
 * The other side is a process that lives during the call only and shares the
 * memory of this one.  A thread would change for good how libc serves a
 * process, and after a fork() each page that is written next is copied.
 *
 * Return: NAN where such a process cannot be made or bound.
 */
double distance_ns(int cpu);

#endif
