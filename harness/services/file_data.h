/* SPDX-License-Identifier: MIT */
#ifndef FILE_DATA_H
#define FILE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file_place.h"

/*
 * Test files: written as a whole, incompressible, every word known from its
 * offset, limited to a share of the free space.  They lie in bench_files(),
 * where they are used again.  When one is opened nothing of it is in the page
 * cache, where pages can be dropped: in which pages it lies there is decided by
 * each process run anew.
 *
 * All file programs together may use 2 GiB of disk: the file that everyone
 * reads, and up to ten of a process's own.
 */
#define FILE_DATA_NAME	"data"
#define FILE_DATA_BYTES ((uint64_t)1 << 30)
#define FILE_OWN_BYTES	((uint64_t)64 << 20)
#define FILE_DATA_BLOCK 4096u
#define FILE_DATA_ALIGN 4096u /* of buffers, offsets and sizes for O_DIRECT */
#define FILE_DATA_WHY	256

struct bench;

/* All zero: nothing is open. */
struct file_data {
	int fd; /* O_RDONLY, through the page cache; 0: not open */
	uint64_t bytes;
	struct file_place place;
	char path[4096];
	char why[FILE_DATA_WHY]; /* after an error: a sentence with figures */
};

/**
 * file_data_open() - open the test file @name of exactly @bytes, a multiple of
 * FILE_DATA_BLOCK, in @dir (NULL: bench_files()); make it where it is missing
 * or something else.  From setup() or enter().  file_data_own() - that of each
 * process's own.
 * Return: 0; or -errno with the reason in f->why, for bench_fail(), or so that
 * a smaller file can be tried: -ENOSPC, -EDQUOT, -EROFS, -EACCES, -ENOENT: it
 * cannot be made there.
 */
int file_data_open(struct bench *b, struct file_data *f, const char *dir,
		   const char *name, uint64_t bytes);
int file_data_own(struct bench *b, struct file_data *f, unsigned int number);
/* file_data_reopen() - for reading or writing, with @flags of open(): the file
 * that was made, and nothing else that may have taken its name.  Return: an fd,
 * or as of bench_skip() (O_DIRECT is refused there, or reaches no device) and
 * bench_fail(). */
int file_data_reopen(struct bench *b, const struct file_data *f, int flags);

/* file_data_uncache() - see that nothing of a part of it is in the page cache
 * (@len 0: to its end).  Return: 0, or as of bench_skip() and bench_fail(). */
int file_data_uncache(struct bench *b, const struct file_data *f,
		      uint64_t offset, uint64_t len);

/* file_data_probe() - read something from its device: counters that do not
 * move (not all file systems tell) are unknown in its place from here on.
 * Return: 0 or bench_fail(). */
int file_data_probe(struct bench *b, struct file_data *f);

/* file_data_remove() - close and unlink it. */
void file_data_remove(struct file_data *f);

/* file_data_word() - the 8 bytes at @offset, a multiple of 8. */
static inline uint64_t file_data_word(uint64_t offset)
{
	uint64_t x = offset + 0x9E3779B97F4A7C15u;

	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

/* Where in the 4 KiB at @offset the word is that is looked at: another one in
 * each block, so that all lines have their turn. */
static inline size_t file_data_sampled(uint64_t offset)
{
	return offset / FILE_DATA_BLOCK * 72 % FILE_DATA_BLOCK;
}

/* file_data_fill() - what a file holds at [@offset, @offset + @len).
 * file_data_matches() - whether @buffer holds it, all words.
 * file_data_sample() - the same for one word in each 4 KiB: cheap enough after
 * each event. */
void file_data_fill(void *buffer, size_t len, uint64_t offset);
bool file_data_matches(const void *buffer, size_t len, uint64_t offset);
bool file_data_sample(const void *buffer, size_t len, uint64_t offset);

/*
 * The page cache.  @len 0: to the end of the file.
 */

/* file_cache_bytes() - how much of it is cached, by mincore(2); or -errno
 * (-ENOSYS: this kernel does not tell). */
int64_t file_cache_bytes(int fd, uint64_t offset, uint64_t len);

/* file_cache_drop() - write back, drop, look; for up to 10 s.  Return: bytes
 * still cached, or -errno. */
int64_t file_cache_drop(int fd, uint64_t offset, uint64_t len);

/* file_cache_fill() - read it by @each bytes, so that what is missing is read
 * ahead as for a program that reads a file from end to end: into large pages
 * where there are such, which are copied at three times the rate of small ones;
 * by large reads the first MiB come into small ones.  @each 1: one byte of each
 * block, so that hardly any of it is in a CPU's cache afterwards.  Return:
 * bytes cached afterwards, or -errno. */
int64_t file_cache_fill(int fd, uint64_t offset, uint64_t len, size_t each);

#endif
