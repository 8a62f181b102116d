/* SPDX-License-Identifier: MIT */
#include "file_reader.h"

#include "arch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file_ring.h"

#define PARTS 4

static ssize_t by_read(struct file_reader *r, uint64_t offset)
{
	ssize_t n;

	if (r->place != offset &&
	    lseek(r->fd, (off_t)offset, SEEK_SET) != (off_t)offset)
		return -1;
	n = read(r->fd, r->buffer, r->block);
	r->place = n < 0 ? UINT64_MAX : offset + (uint64_t)n;
	return n;
}

static ssize_t by_pread(struct file_reader *r, uint64_t offset)
{
	return pread(r->fd, r->buffer, r->block, (off_t)offset);
}

static ssize_t by_readv(struct file_reader *r, uint64_t offset)
{
	const size_t part = r->block / PARTS;
	struct iovec v[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		v[i] = (struct iovec) { r->buffer + i * part, part };
	return preadv(r->fd, v, PARTS, (off_t)offset);
}

static ssize_t by_mmap(struct file_reader *r, uint64_t offset)
{
	memcpy(r->buffer, r->map + (offset - r->base), r->block);
	/* Or the copy would be left out: nobody needs all of it. */
	__asm__ volatile("" : : "r"(r->buffer) : "memory");
	return (ssize_t)r->block;
}

static ssize_t by_ring(struct file_reader *r, uint64_t offset)
{
	return file_ring_read(r->ring, r->fd, r->buffer, r->block, offset);
}

/* Eight bytes at a time, in four chains: no compiler's vectors. */
static ssize_t by_sum(struct file_reader *r, uint64_t offset)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	const char *at = r->map + (offset - r->base);

	for (const char *end = at + r->block; at < end; at += 32)
		arch_add_words(&a, &b, &c, &d, at);
	r->sum += a + b + c + d;
	return (ssize_t)r->block;
}

static ssize_t by_next(struct file_reader *r, uint64_t offset)
{
	return read(r->opened, r->buffer, r->block);
}

static int open_it(struct file_reader *r)
{
	r->opened = open(r->path, O_RDONLY | O_CLOEXEC);
	return r->opened < 0 ? -1 : 0;
}

static int close_it(struct file_reader *r)
{
	return close(r->opened);
}

static int open_and_map(struct file_reader *r)
{
	void *at;

	if (open_it(r))
		return -1;
	at = mmap(NULL, r->n * r->block, PROT_READ, MAP_SHARED, r->opened, 0);
	if (at == MAP_FAILED) {
		close_it(r);
		return -1;
	}
	r->map = at;
	return 0;
}

static int unmap_and_close(struct file_reader *r)
{
	const int err = munmap((void *)r->map, r->n * r->block);

	r->map = NULL;
	return close_it(r) || err ? -1 : 0;
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

static int read_all(struct file_reader *r)
{
	const struct file_way *w = r->way;

	r->sum = 0;
	for (unsigned int i = 0; i < r->n; i++) {
		uint64_t word;
		const ssize_t n = w->read(r, r->offset[i]);

		if (n != (ssize_t)r->block)
			return n < 0 ? -errno : -EIO;
		/* A single block is looked at later. */
		if (r->n == 1 || w->sums)
			continue;
		memcpy(&word, r->buffer + file_data_sampled(r->offset[i]),
		       sizeof(word));
		r->sum ^= word;
	}
	return 0;
}

int file_reader_run(struct file_reader *r)
{
	int err;

	if (!r->way->open)
		return read_all(r);
	if (r->way->open(r))
		return -errno;
	err = read_all(r);
	return r->way->close(r) && !err ? -errno : err;
}

unsigned int file_reader_good(const struct file_reader *r)
{
	uint64_t sum = r->sum;

	if (!r->way->sums &&
	    !file_data_sample(r->buffer, r->block, r->offset[r->n - 1]))
		return 0;
	for (unsigned int i = 0; i < r->n; i++)
		if (r->way->sums)
			for (size_t at = 0; at < r->block; at += 8)
				sum -= file_data_word(r->offset[i] + at);
		else if (r->n > 1)
			sum ^= file_data_word(r->offset[i] +
					      file_data_sampled(r->offset[i]));
	return sum ? 0 : r->n;
}
