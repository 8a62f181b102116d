/* SPDX-License-Identifier: MIT */
#include "file_ways.h"

#include "arch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
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

/* Random reads of a disk that seeks take tens of times as long as sequential
 * ones; read-ahead in the device or its host makes up for factors below this
 * without any seek. */
#define SEEKS 20.0

static const char *claim_of(const struct file_place *p)
{
	return p->rotational < 0 ? "the kernel does not say whether it rotates"
	       : p->rotational	 ? "the kernel says that it rotates"
				 : "the kernel says that it does not rotate";
}

void file_place_judge(const struct file_place *p, double sequential_ns,
		      double random_ns, char *text, size_t size)
{
	const double ratio = random_ns / sequential_ns;

	if (p->kind == FILE_PLACE_MEMORY)
		snprintf(text, size,
			 "%s: the figures are those of memory, not of a disk",
			 p->where);
	else if (!isfinite(ratio) || ratio <= 0)
		snprintf(text, size, "%s: whether it seeks was not measured",
			 p->where);
	else
		snprintf(text, size, "%s; %s; %s", p->where, claim_of(p),
			 ratio >= SEEKS
				 ? "random reads are so much slower than "
				   "sequential ones that it seems to seek"
				 : "random reads show no seeks; it or its host "
				   "may cache what it holds");
}
