/* SPDX-License-Identifier: MIT */
#ifndef NAIVE_H
#define NAIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "partner.h"

/*
 * What the programs of the lab of wrong numbers measure: each of these is done
 * by a naive program and by a right one.  Times are ns and hold the timer's
 * overhead, which no naive program takes off.
 */
/* naive_ns() - raw @ticks of an interval. */
static inline double naive_ns(const struct bench *b, uint64_t ticks)
{
	return timer_ns(bench_timer(b), (double)ticks);
}

#define NAIVE_LINKS  32 /* operations in a pass of a long chain */
#define NAIVE_SHORT  8	/* of a short one */
#define NAIVE_CHAINS 8	/* of naive_overlapped() */

/* naive_adds(), naive_multiplies() - @passes times NAIVE_LINKS operations x + y
 * and 32-bit x * y, each with the result of the one before, in assembler.
 * naive_short_adds(): NAIVE_SHORT.  @passes: 1 or more.  Return: x. */
uint64_t naive_adds(uint64_t x, uint64_t y, uint64_t passes);
uint64_t naive_short_adds(uint64_t x, uint64_t y, uint64_t passes);
uint64_t naive_multiplies(uint64_t x, uint64_t y, uint64_t passes);

/* naive_unfenced() - ticks of the TSC for one pass of naive_multiplies(), the
 * mean of @n, with nothing that makes the reads of the clock wait for it.  @x:
 * becomes the result. */
double naive_unfenced(uint64_t *x, uint64_t y, unsigned int n);

/* naive_removed() - @n multiplications in C whose result nobody uses, so that
 * an optimising compiler leaves them out. */
void naive_removed(uint64_t x, uint64_t y, uint64_t n);

/* naive_waiting() - @n times NAIVE_CHAINS multiplications, each of which waits
 * for the one before; naive_overlapped(): NAIVE_CHAINS that do not wait for
 * each other.  Return: x y^(NAIVE_CHAINS n), or the sum of the chains. */
uint64_t naive_waiting(uint64_t x, uint64_t y, uint64_t n);
uint64_t naive_overlapped(uint64_t x, uint64_t y, uint64_t n);

/* naive_calls() - getppid() @n times.  Return: how often it was @parent. */
uint64_t naive_calls(pid_t parent, uint64_t n);

/* naive_walk() - @passes times through 16 KiB of zeros at @memory, in loads of
 * a line each that need the one before.  Return: how many loads. */
#define NAIVE_WALK_BYTES ((size_t)16 << 10)
uint64_t naive_walk(const char *memory, unsigned int passes);

/* naive_link() - one cycle of pointers through all lines of @bytes (a power of
 * two) at @memory, ascending or in a random order; none of it is left in the
 * caches.  naive_chase(): @n loads from @at.  Return: where it ended, which is
 * naive_expected(). */
void naive_link(void *memory, size_t bytes, bool ascending);
void *naive_chase(void *at, uint64_t n);
const void *naive_expected(const void *memory, size_t bytes, bool ascending,
			   const void *at, uint64_t n);

/* A byte that goes to and fro between two processes through pipes. */
struct naive_pair {
	struct partner far;
	int there[2], back[2], alone[2]; /* pipes, while open */
	bool open, pinned;
	struct bench *b;
};

/* naive_pair_start() - @pinned: both on the measuring CPU, else both where the
 * scheduler wants them.  naive_pair_stop() accepts a zeroed one.  Return: as of
 * partner_start(). */
int naive_pair_start(struct bench *b, struct naive_pair *p, bool pinned);
void naive_pair_stop(struct naive_pair *p);

/* naive_trips() - @n round trips; naive_alone() - as many calls, a write and a
 * read for each of 2 @n messages, by one process alone.  Return: how many
 * messages came as they were sent, -errno, or as of partner_check(). */
int naive_trips(struct naive_pair *p, int n);
int naive_alone(struct naive_pair *p, int n);

/**
 * naive_touch() - map @bytes of the file @fd and touch a byte in each @step.
 * @faults: gets how many page faults that took, as the kernel counted.
 *
 * Return: ns for all of it but the mapping, or -errno.
 */
double naive_touch(struct bench *b, int fd, size_t bytes, size_t step,
		   double *faults);

/**
 * naive_replicates() - the half width of the 95 % interval of a mean (Student,
 * ten values), in percent of it, for getppid().
 * @c: gets the proof that the calls were answered.
 * @inside: of ten repetitions in one process, the median of ten processes.
 * @between: of the means of these ten processes.
 *
 * Return: 0, or as of partner_start() and partner_failed().
 */
int naive_replicates(struct bench *b, const struct bench_case *c,
		     double *inside, double *between);

#endif
