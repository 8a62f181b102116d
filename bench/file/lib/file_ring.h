/* SPDX-License-Identifier: MIT */
#ifndef FILE_RING_H
#define FILE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_walk.h"
#include "timer.h"

/* Reads through io_uring.  After an error the ring is of no more use: close
 * it, and open another one. */
struct file_ring;

/* file_ring_open() - a ring for @depth requests; NULL: none can be had here,
 * and *@why, static text, says why. */
struct file_ring *file_ring_open(unsigned int depth, const char **why);

/* file_ring_close() - wait for what the kernel still does for it, and end it.
 * NULL is fine. */
void file_ring_close(struct file_ring *ring);

/* file_ring_read() - read and wait.  Return: bytes, or -1 with errno. */
ssize_t file_ring_read(struct file_ring *ring, int fd, void *buffer, size_t len,
		       uint64_t offset);

/*
 * Many requests at a time: @depth are kept under way; each that completes is
 * checked and replaced by the next at once.  The first @depth and those that
 * are under way at the end are not counted.
 */
struct file_ring_load {
	int fd;
	char *buffers; /* @depth of @block bytes, for O_DIRECT */
	size_t block;
	unsigned int depth;
	enum timer_method method;
	struct file_walk *walk; /* in blocks of @block */
	uint64_t base;		/* offset of its block 0 */
	unsigned int wanted;

	/* Results. */
	uint64_t *ticks;      /* of each that is counted: @wanted + @depth */
	unsigned int counted; /* at least @wanted */
	unsigned int done;    /* good ones, also what was not counted */
	unsigned int wrong;   /* contents or length */
	uint64_t all_ticks;   /* from first to last counted completion */
};

/* file_ring_load() - do it.  Nothing is under way afterwards.  Return: 0 or
 * -errno. */
int file_ring_load(struct file_ring *ring, struct file_ring_load *l);

#endif
