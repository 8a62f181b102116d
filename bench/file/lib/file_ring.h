/* SPDX-License-Identifier: MIT */
#ifndef FILE_RING_H
#define FILE_RING_H

#include "file_reading.h"

/* Reads through io_uring.  After an error the ring is of no more use: close
 * it, and open another one. */
struct file_ring;

/* file_ring_open() - a ring for @depth requests; NULL: none can be had here,
 * and *@why, static text, says why. */
struct file_ring *file_ring_open(unsigned int depth, const char **why);

/* file_ring_close() - wait for what the kernel still does for it, and end it.
 * NULL is fine. */
void file_ring_close(struct file_ring *ring);

/* file_ring_read() - as a struct file_way: ask for one block and wait. */
ssize_t file_ring_read(struct file_reading *s, uint64_t offset);

/**
 * file_ring_load() - many requests at a time: as many as the case's depth are
 * kept under way; each that completes is looked at, counted in s->blocks and,
 * if it is right, in s->right, and replaced by the next block of the walk at
 * once.
 * @ticks: gets how long each of at least @wanted, at most a depth more, took:
 *	   the first as many as the depth, and those that are under way at the
 *	   end, are not among them.
 * @all_ticks: gets the time from first to last completion of those.
 *
 * Return: how many, or -errno.  Nothing is under way afterwards.
 */
int file_ring_load(struct file_reading *s, enum timer_method method,
		   unsigned int wanted, uint64_t *ticks, uint64_t *all_ticks);

#endif
