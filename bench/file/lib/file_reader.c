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

static const char *const names[] = { "read",	  "pread",    "readv",
				     "mmap",	  "io_uring", "mapped",
				     "open_read", "open_mmap" };

const char *file_reader_name(enum file_via via)
{
	return names[via];
}

bool file_reader_whole(enum file_via via)
{
	return via == FILE_OPEN_READ || via == FILE_OPEN_MMAP;
}

static uint64_t offset_of(const struct file_reader *r, unsigned int i)
{
	return file_reader_whole(r->via) ? (uint64_t)i * r->block
					 : r->offset[i];
}

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

static ssize_t by_readv(struct file_reader *r, uint64_t offset)
{
	const size_t part = r->block / PARTS;
	struct iovec v[PARTS];

	for (size_t i = 0; i < PARTS; i++)
		v[i] = (struct iovec) { r->buffer + i * part, part };
	return preadv(r->fd, v, PARTS, (off_t)offset);
}

static ssize_t one(struct file_reader *r, uint64_t offset)
{
	switch (r->via) {
	case FILE_READ:
		return by_read(r, offset);
	case FILE_READV:
		return by_readv(r, offset);
	case FILE_MMAP:
		memcpy(r->buffer, r->map + (offset - r->base), r->block);
		/* Or the copy would be left out: nobody needs all of it. */
		__asm__ volatile("" : : "r"(r->buffer) : "memory");
		return (ssize_t)r->block;
	case FILE_URING:
		return file_ring_read(r->ring, r->fd, r->buffer, r->block,
				      offset);
	default:
		return pread(r->fd, r->buffer, r->block, (off_t)offset);
	}
}

/* Where in the block at @offset the word is that is looked at. */
static size_t word_in(uint64_t offset)
{
	return offset / FILE_DATA_BLOCK * 72 % FILE_DATA_BLOCK;
}

/* Eight bytes at a time, in four chains: no compiler's vectors. */
static uint64_t sum_of(const char *at, size_t bytes)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (const char *end = at + bytes; at < end; at += 32)
		arch_add_words(&a, &b, &c, &d, at);
	return a + b + c + d;
}

static int run_mapped(struct file_reader *r)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < r->n; i++)
		sum += sum_of(r->map + (r->offset[i] - r->base), r->block);
	r->sum = sum;
	return 0;
}

static bool mapped_is_good(const struct file_reader *r)
{
	uint64_t sum = r->sum;

	for (unsigned int i = 0; i < r->n; i++)
		for (size_t at = 0; at < r->block; at += sizeof(uint64_t))
			sum -= file_data_word(offset_of(r, i) + at);
	return !sum;
}

/* Return: 0 or -errno. */
static int read_to_end(struct file_reader *r, int fd)
{
	r->sum = 0;
	for (unsigned int i = 0; i < r->n; i++) {
		uint64_t word;
		const ssize_t n = read(fd, r->buffer, r->block);

		if (n != (ssize_t)r->block)
			return n < 0 ? -errno : -EIO;
		memcpy(&word, r->buffer + word_in(offset_of(r, i)),
		       sizeof(word));
		r->sum ^= word;
	}
	return 0;
}

static int map_and_sum(struct file_reader *r, int fd)
{
	const size_t bytes = r->n * r->block;
	char *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	r->sum = sum_of(at, bytes);
	return munmap(at, bytes) ? -errno : 0;
}

static int open_to_close(struct file_reader *r)
{
	const int fd = open(r->path, O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = r->via == FILE_OPEN_READ ? read_to_end(r, fd)
				       : map_and_sum(r, fd);
	return close(fd) && !err ? -errno : err;
}

int file_reader_run(struct file_reader *r)
{
	uint64_t sum = 0;

	if (r->via == FILE_MAPPED)
		return run_mapped(r);
	if (file_reader_whole(r->via))
		return open_to_close(r);
	for (unsigned int i = 0; i < r->n; i++) {
		uint64_t word;
		const ssize_t n = one(r, r->offset[i]);

		if (n != (ssize_t)r->block)
			return n < 0 ? -errno : -EIO;
		/* A single block is looked at later. */
		if (r->n == 1)
			return 0;
		memcpy(&word, r->buffer + word_in(r->offset[i]), sizeof(word));
		sum ^= word;
	}
	r->sum = sum;
	return 0;
}

unsigned int file_reader_good(const struct file_reader *r)
{
	uint64_t sum = r->sum;

	if (r->via == FILE_MAPPED || r->via == FILE_OPEN_MMAP)
		return mapped_is_good(r) ? r->n : 0;
	if (!file_data_sample(r->buffer, r->block, offset_of(r, r->n - 1)))
		return 0;
	if (r->n == 1)
		return 1;
	for (unsigned int i = 0; i < r->n; i++)
		sum ^= file_data_word(offset_of(r, i) +
				      word_in(offset_of(r, i)));
	return sum ? 0 : r->n;
}
