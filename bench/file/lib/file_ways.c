/* SPDX-License-Identifier: MIT */
#include "file_reading.h"

#include "arch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file_ring.h"

#define PARTS 4

static ssize_t by_read(struct file_reading *s, uint64_t offset)
{
	ssize_t n;

	if (s->position != offset &&
	    lseek(s->fd, (off_t)offset, SEEK_SET) != (off_t)offset)
		return -1;
	n = read(s->fd, s->buffers, s->point->block);
	s->position = n < 0 ? UINT64_MAX : offset + (uint64_t)n;
	return n;
}

static ssize_t by_pread(struct file_reading *s, uint64_t offset)
{
	return pread(s->fd, s->buffers, s->point->block, (off_t)offset);
}

static ssize_t by_readv(struct file_reading *s, uint64_t offset)
{
	const size_t part = s->point->block / PARTS;
	struct iovec v[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		v[i] = (struct iovec) { s->buffers + i * part, part };
	return preadv(s->fd, v, PARTS, (off_t)offset);
}

static ssize_t by_mmap(struct file_reading *s, uint64_t offset)
{
	memcpy(s->buffers, s->map + (offset - s->base), s->point->block);
	/* Or the copy would be left out: nobody needs all of it. */
	__asm__ volatile("" : : "r"(s->buffers) : "memory");
	return (ssize_t)s->point->block;
}

static ssize_t by_ring(struct file_reading *s, uint64_t offset)
{
	return file_ring_read(s->ring, s->fd, s->buffers, s->point->block,
			      offset);
}

/* Eight bytes at a time, in four chains: no compiler's vectors. */
static ssize_t by_sum(struct file_reading *s, uint64_t offset)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	const char *at = s->map + (offset - s->base);

	for (const char *end = at + s->point->block; at < end; at += 32)
		arch_add_words(&a, &b, &c, &d, at);
	s->sum += a + b + c + d;
	return (ssize_t)s->point->block;
}

static ssize_t by_next(struct file_reading *s, uint64_t offset)
{
	return read(s->opened, s->buffers, s->point->block);
}

static int open_it(struct file_reading *s)
{
	s->opened = open(s->now->path, O_RDONLY | O_CLOEXEC);
	return s->opened < 0 ? -1 : 0;
}

static int close_it(struct file_reading *s)
{
	return close(s->opened);
}

static int open_and_map(struct file_reading *s)
{
	void *at;

	if (open_it(s))
		return -1;
	at = mmap(NULL, s->point->n * s->point->block, PROT_READ, MAP_SHARED,
		  s->opened, 0);
	if (at == MAP_FAILED) {
		close_it(s);
		return -1;
	}
	s->map = at;
	return 0;
}

static int unmap_and_close(struct file_reading *s)
{
	const int err = munmap((void *)s->map, s->point->n * s->point->block);

	s->map = NULL;
	return close_it(s) || err ? -1 : 0;
}

const struct file_way file_ways[] = {
	{ .name = "read", .read = by_read },
	{ .name = "pread", .read = by_pread },
	{ .name = "readv", .read = by_readv },
	{ .name = "mmap", .read = by_mmap, .mapping = MAP_SHARED },
	{ .name = "io_uring", .read = by_ring },
	{ .name = "mapped",
	  .read = by_sum,
	  .mapping = MAP_SHARED | MAP_POPULATE,
	  .sums = true },
	{ .name = "open_read",
	  .read = by_next,
	  .open = open_it,
	  .close = close_it },
	{ .name = "open_mmap",
	  .read = by_sum,
	  .open = open_and_map,
	  .close = unmap_and_close,
	  .sums = true },
	{ 0 },
};

static int read_all(struct file_reading *s)
{
	const struct file_way *w = s->point->way;

	s->sum = 0;
	for (unsigned int i = 0; i < s->point->n; i++) {
		uint64_t word;
		const ssize_t n = w->read(s, s->offset[i]);

		if (n != (ssize_t)s->point->block)
			return n < 0 ? -errno : -ENODATA;
		/* A single block is looked at later. */
		if (s->point->n == 1 || w->sums)
			continue;
		memcpy(&word, s->buffers + file_data_sampled(s->offset[i]),
		       sizeof(word));
		s->sum ^= word;
	}
	return 0;
}

int file_ways_read(struct file_reading *s)
{
	int err;

	if (!s->point->way->open)
		return read_all(s);
	if (s->point->way->open(s))
		return -errno;
	err = read_all(s);
	return s->point->way->close(s) && !err ? -errno : err;
}

/* What the file holds at @offset. */
static uint64_t word_of(const struct file_reading *s, uint64_t offset)
{
	uint64_t word;

	/* If it has gone: what it surely did not hold. */
	return s->like >= 0 && pread(s->like, &word, sizeof(word),
				     (off_t)offset) == (ssize_t)sizeof(word)
		       ? word
		       : file_data_word(offset);
}

/* One word in each 4 KiB of the block that was read last. */
static bool block_good(const struct file_reading *s, uint64_t offset)
{
	uint64_t word, wrong = 0;

	for (size_t at = 0; at < s->point->block; at += FILE_DATA_BLOCK) {
		const size_t in = at + file_data_sampled(offset + at);

		memcpy(&word, s->buffers + in, sizeof(word));
		wrong |= word ^ word_of(s, offset + in);
	}
	return !wrong;
}

unsigned int file_ways_good(const struct file_reading *s)
{
	const struct file_point *t = s->point;
	uint64_t sum = s->sum;

	if (!t->way->sums && !block_good(s, s->offset[t->n - 1]))
		return 0;
	for (unsigned int i = 0; i < t->n; i++)
		if (t->way->sums)
			for (size_t at = 0; at < t->block; at += 8)
				sum -= file_data_word(s->offset[i] + at);
		else if (t->n > 1)
			sum ^= word_of(s, s->offset[i] + file_data_sampled(
								 s->offset[i]));
	return sum ? 0 : t->n;
}
