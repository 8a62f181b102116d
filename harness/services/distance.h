/* SPDX-License-Identifier: MIT */
#ifndef DISTANCE_H
#define DISTANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How far apart two CPUs are: the time of a cache line there and back. */
#define DISTANCE_LAST UINT64_MAX /* ends distance_answer() */

/* distance_answer() - the other side: answer every odd number in @line with
 * the next even one, until DISTANCE_LAST comes.  Return: how many. */
uint64_t distance_answer(_Atomic uint64_t *line);

/* distance_trips() - send @line, which holds an even number, there and back
 * @n times.  Return: false where no answer comes for some ten seconds. */
bool distance_trips(_Atomic uint64_t *line, uint64_t n);

#endif
