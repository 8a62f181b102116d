/* SPDX-License-Identifier: MIT */
#ifndef SYNC_LOOP_H
#define SYNC_LOOP_H

#include <stddef.h>
#include <stdint.h>

/* A call of libc that takes or gives a lock; 0 is good. */
typedef int sync_lock_fn(void *lock);

/* @n times, at least once: take @lock, add 1 to @counter, give it back.
 * Return: how many calls failed. */
typedef uint64_t sync_loop_fn(uint64_t n, sync_lock_fn *take,
			      sync_lock_fn *give, void *lock,
			      uint64_t *counter);

/* Copies of it, one for each kind of lock: where a call has had several
 * targets, a processor predicts the next one with more effort. */
struct sync_loops {
	const char *first;
	size_t stride, mapped; /* bytes; mapped is 0: all in this program */
};

/**
 * sync_loops_open() - @n copies, as near to @callee as a static program's.
 *
 * A program is many TiB away from its shared libraries, and a processor may
 * take longer to follow a call so far: Zen 4 takes 4 cycles more for two calls
 * and their returns from 128 GiB on.  That is not the lock's, and a static
 * program does not have it.  Where no memory can be executed there is one copy,
 * in this program.
 */
void sync_loops_open(struct sync_loops *l, size_t n, sync_lock_fn *callee);

/* sync_loop() - copy @i. */
sync_loop_fn *sync_loop(const struct sync_loops *l, size_t i);

/* sync_loops_close() - nothing if they were not opened. */
void sync_loops_close(struct sync_loops *l);

#endif
