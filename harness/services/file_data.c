/* SPDX-License-Identifier: MIT */
#include "file_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "alloc.h"
#include "bench.h"
#include "file_place.h"
#include "io.h"

#define CHUNK	    ((size_t)1 << 20)
#define START_EVERY ((uint64_t)32 << 20) /* write-back beside the filling */
#define PLACES	    64			 /* looked at when used again */
#define NEW_PLACES  256			 /* looked at after writing */
#define NEW_LEN	    ((size_t)64 << 10)
#define TOLD_BLOCK  512 /* what st_blocks counts in */

void file_data_init(struct file_data *f)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

void file_data_fill(void *buffer, size_t len, uint64_t offset)
{
	uint64_t *words = buffer;

	for (size_t i = 0; i < len / sizeof(*words); i++)
		words[i] = file_data_word(offset + i * sizeof(*words));
}

bool file_data_matches(const void *buffer, size_t len, uint64_t offset)
{
	const uint64_t *words = buffer;
	uint64_t wrong = 0;

	for (size_t i = 0; i < len / sizeof(*words); i++)
		wrong |= words[i] ^ file_data_word(offset + i * sizeof(*words));
	return !wrong;
}

bool file_data_sample(const void *buffer, size_t len, uint64_t offset)
{
	bool right = true;

	for (size_t at = 0; at < len; at += FILE_DATA_BLOCK) {
		const size_t in = at + file_data_sampled(offset + at);

		right &= file_data_matches((const char *)buffer + in, 8,
					   offset + in);
	}
	return right;
}

int64_t file_data_room(const char *dir)
{
	struct statvfs fs;

	if (statvfs(dir, &fs))
		return -errno;
	return (int64_t)(fs.f_bavail * fs.f_frsize / 2);
}

__attribute__((format(printf, 3, 4))) static int
why(struct file_data *f, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->why, sizeof(f->why), fmt, ap);
	va_end(ap);
	return err;
}

/* Look at @places stretches of @len bytes, one in each part of the file, the
 * first and the last bytes always among them. */
static int check_contents(struct file_data *f, unsigned int places, size_t len)
{
	const uint64_t blocks = f->bytes / FILE_DATA_BLOCK;
	const uint64_t part = blocks / places + 1;
	const uint64_t seed = (uint64_t)getpid() << 32; /* others each time */
	char *buffer = text_alloc(1, len);
	int err = 0;

	/* No read-ahead: it would cost more than the check. */
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	len = len > f->bytes ? f->bytes : len;
	for (unsigned int i = 0; !err && i < places; i++) {
		uint64_t at =
			i * part + (i ? file_data_word(seed + i) % part : 0);
		ssize_t got;

		at *= FILE_DATA_BLOCK;
		if (i + 1 == places || at + len > f->bytes)
			at = f->bytes - len;
		got = io_read(f->fd, buffer, len, (off_t)at);
		if (got < 0)
			err = why(f, (int)got, "read %s", f->path);
		else if ((size_t)got < len ||
			 !file_data_matches(buffer, len, at))
			err = why(f, -EBADMSG,
				  "%s does not hold at byte %llu what was "
				  "written",
				  f->path, (unsigned long long)at);
	}
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_NORMAL);
	/* Reading ahead goes page by page round what is there, and pages that
	 * came one by one are copied at a third of the rate of large ones. */
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
	free(buffer);
	return err;
}

/* Bytes that it has on the disk; 0: not known. */
static uint64_t allocated(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * TOLD_BLOCK;
}

static int check_shape(struct file_data *f)
{
	const uint64_t least = f->bytes - f->bytes / 16;
	struct stat st;
	uint64_t told;
	off_t hole;

	if (fstat(f->fd, &st))
		return why(f, -errno, "stat %s", f->path);
	if (!S_ISREG(st.st_mode))
		return why(f, -EBADMSG, "%s is no regular file", f->path);
	if ((uint64_t)st.st_size != f->bytes)
		return why(f, -EBADMSG, "%s has %lld bytes, not %llu", f->path,
			   (long long)st.st_size, (unsigned long long)f->bytes);
	hole = lseek(f->fd, 0, SEEK_HOLE);
	if (hole >= 0 && hole < st.st_size)
		return why(f, -EBADMSG, "%s has a hole at byte %lld", f->path,
			   (long long)hole);
	/* Some servers say nothing of blocks.  A little may be missing where
	 * ends of files are kept apart.  Some file systems (zfs) allocate them
	 * later than fsync() returns. */
	told = allocated(f->fd);
	if (told && told < least && !syncfs(f->fd))
		told = allocated(f->fd);
	if (told && told < least)
		return why(f, -EBADMSG,
			   "%s: only %llu of %llu bytes are allocated (a file "
			   "system that compresses or deduplicates?)",
			   f->path, (unsigned long long)told,
			   (unsigned long long)f->bytes);
	return 0;
}

int file_data_check(struct file_data *f)
{
	const int err = check_shape(f);

	return err ? err : check_contents(f, PLACES, FILE_DATA_BLOCK);
}

static int write_contents(const struct bench *b, struct file_data *f)
{
	char *buffer = aligned_alloc(FILE_DATA_ALIGN, CHUNK);
	int err = buffer ? 0 : -ENOMEM;

	/* A full disk is seen here before anything was written. */
	if (!err && fallocate(f->fd, 0, 0, (off_t)f->bytes) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		err = -errno;
	for (uint64_t at = 0; !err && at < f->bytes; at += CHUNK) {
		const uint64_t left = f->bytes - at;
		const size_t len = left < CHUNK ? left : CHUNK;

		file_data_fill(buffer, len, at);
		err = io_write(f->fd, buffer, len, (off_t)at);
		if (at % START_EVERY == 0)
			sync_file_range(f->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		if (b && bench_stopping(b))
			err = -EINTR;
	}
	if (!err && fsync(f->fd))
		err = -errno;
	free(buffer);
	return err;
}

/* Write it under another name, look at it, give it its name: what has the name
 * is whole. */
static int make(const struct bench *b, struct file_data *f)
{
	char part[sizeof(f->path) + 32];
	int err;

	snprintf(part, sizeof(part), FILE_DATA_PART, f->path, (int)getpid());
	f->fd = open(part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (f->fd < 0)
		return why(f, -errno, "make %s", f->path);
	err = write_contents(b, f);
	if (err)
		why(f, err, "write %llu bytes to %s",
		    (unsigned long long)f->bytes, f->path);
	if (!err && file_cache_drop(f->fd, 0, 0) >= 0)
		err = check_shape(f);
	if (!err)
		err = check_contents(f, NEW_PLACES, NEW_LEN);
	if (!err && rename(part, f->path))
		err = why(f, -errno, "name %s", f->path);
	if (err)
		unlink(part);
	file_data_close(f);
	if (err)
		return err;
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return f->fd < 0 ? why(f, -errno, "open %s", f->path) : 0;
}

static bool use_again(struct file_data *f)
{
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0)
		return false;
	f->reused = !file_data_check(f);
	if (!f->reused)
		file_data_remove(f);
	return f->reused;
}

static int check_room(struct file_data *f, const char *dir, uint64_t most)
{
	const int64_t room = file_data_room(dir);

	if (room < 0)
		return why(f, (int)room, "%s", dir);
	if (f->bytes > (uint64_t)room)
		return why(f, -ENOSPC,
			   "a test file of %llu MiB is more than half of what "
			   "is free in %s (%llu MiB)",
			   (unsigned long long)f->bytes >> 20, dir,
			   (unsigned long long)room >> 19);
	if (f->bytes > most)
		return why(f, -ENOSPC,
			   "a test file of %llu MiB in %s would lie in memory, "
			   "of which it may take %llu MiB",
			   (unsigned long long)f->bytes >> 20, dir,
			   (unsigned long long)most >> 20);
	return 0;
}

static int open_in(struct bench *b, struct file_data *f, const char *dir,
		   const char *name, uint64_t bytes, uint64_t most)
{
	int err;

	file_data_init(f);
	f->bytes = bytes;
	if (!bytes || bytes % FILE_DATA_BLOCK)
		return why(f, -EINVAL, "no whole number of blocks");
	if ((size_t)snprintf(f->path, sizeof(f->path), "%s/%s", dir, name) >=
	    sizeof(f->path))
		return why(f, -ENAMETOOLONG, "%s", dir);
	if (use_again(f))
		return 0;
	err = check_room(f, dir, most);
	if (!err)
		err = make(b, f);
	return err;
}

int file_data_open(struct file_data *f, const char *dir, const char *name,
		   uint64_t bytes)
{
	return open_in(NULL, f, dir, name, bytes, UINT64_MAX);
}

/* How much a file in @dir may take of what else is scarce: memory. */
static uint64_t most_in(const struct bench *b, const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool memory = file_place_find(fd).kind == FILE_PLACE_MEMORY;

	if (fd >= 0)
		close(fd);
	return memory ? bench_spare_bytes(b) : UINT64_MAX;
}

int file_data_try(struct bench *b, struct file_data *f, const char *name,
		  uint64_t bytes)
{
	const char *dir = bench_files(b);

	file_data_init(f);
	if (!dir)
		return -EIO; /* bench_files() has said why */
	return open_in(b, f, dir, name, bytes, most_in(b, dir));
}

int file_data_get(struct bench *b, struct file_data *f, const char *name,
		  uint64_t bytes)
{
	const int err = file_data_try(b, f, name, bytes);

	return err ? file_data_give_up(b, f, err) : 0;
}

int file_refused(struct bench *b, int err, const char *fmt, ...)
{
	char text[FILE_DATA_WHY + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	switch (err) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EROFS:
	case EACCES:
	case EPERM:
	case ENOENT:
		return bench_skip(b, "%s: %s", text, strerror(err));
	default:
		return bench_fail(b, err == EBADMSG ? 0 : err, "%s", text);
	}
}

int file_data_give_up(struct bench *b, const struct file_data *f, int err)
{
	return file_refused(b, -err, "%s", f->why);
}

void file_data_close(struct file_data *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void file_data_remove(struct file_data *f)
{
	file_data_close(f);
	if (f->path[0])
		unlink(f->path);
}
