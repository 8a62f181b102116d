/* SPDX-License-Identifier: MIT */
#include "file_data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "bench.h"
#include "deadline.h"
#include "err.h"
#include "io.h"
#include "mem.h"

#define CHUNK	    ((size_t)1 << 20)
#define START_EVERY ((uint64_t)32 << 20) /* write-back beside the filling */
#define PROBE	    ((size_t)64 << 10)
#define DROP_MS	    10000 /* what is being read ahead cannot be dropped */
#define DROP_US	    2000

/* Pages come and go in folios, at most so large, at multiples of their size:
 * one that is only partly in the range is not dropped. */
#define FOLIO ((uint64_t)2 << 20)

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

__attribute__((format(printf, 3, 4))) static int
why(struct file_data *f, int err, const char *fmt, ...)
{
	WITH_ARGS(vsnprintf(f->why, sizeof(f->why), fmt, ap));
	return err;
}

static int write_contents(const struct file_data *f, int fd)
{
	char *buffer = aligned_alloc(FILE_DATA_ALIGN, CHUNK);
	int err = buffer ? 0 : -ENOMEM;

	/* A full disk is seen here before anything was written. */
	if (!err && fallocate(fd, 0, 0, (off_t)f->bytes) &&
	    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		err = -errno;
	for (uint64_t at = 0; !err && at < f->bytes; at += CHUNK) {
		const uint64_t left = f->bytes - at;
		const size_t len = left < CHUNK ? left : CHUNK;

		file_data_fill(buffer, len, at);
		err = io_write(fd, buffer, len, (off_t)at);
		if (at % START_EVERY == 0)
			sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	}
	free(buffer);
	return !err && fsync(fd) ? -errno : err;
}

/* Write it under another name, and give it its own when all is there. */
static int make(struct file_data *f)
{
	char part[sizeof(f->path) + 32];
	int fd, err;

	snprintf(part, sizeof(part), "%s.part-%d", f->path, (int)getpid());
	fd = open(part, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return why(f, -errno, "make %s", f->path);
	err = write_contents(f, fd);
	if (!err)
		file_cache_drop(fd, 0, 0);
	close(fd);
	if (!err && rename(part, f->path))
		err = -errno;
	if (!err)
		return 0;
	unlink(part);
	return why(f, err, "write %llu bytes to %s",
		   (unsigned long long)f->bytes, f->path);
}

/* Open what has its name, if it is such a file: else that goes.  Each event
 * looks at what it has read.  Nothing stays cached: reading ahead goes page by
 * page round what is there, and pages that came one by one are copied at a
 * third of the rate of large ones. */
static int use(struct file_data *f)
{
	struct stat st;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0) {
		f->fd = 0;
		return why(f, -errno, "open %s", f->path);
	}
	if (!fstat(f->fd, &st) && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size == f->bytes) {
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
		return 0;
	}
	file_data_remove(f);
	return why(f, -EEXIST, "%s is another file", f->path);
}

/* Check for room on the disk, and in memory if the file would lie there. */
static int check_room(const struct bench *b, struct file_data *f,
		      const char *dir)
{
	const int64_t room = file_place_room(dir);
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const bool memory = file_place_find(fd).kind == FILE_PLACE_MEMORY;

	if (fd >= 0)
		close(fd);
	if (room < 0)
		return why(f, (int)room, "%s", dir);
	if (f->bytes > (uint64_t)room)
		return why(f, -ENOSPC,
			   "a test file of %llu MiB is more than half of what "
			   "is free in %s (%llu MiB)",
			   (unsigned long long)f->bytes >> 20, dir,
			   (unsigned long long)room >> 19);
	if (memory && f->bytes > bench_spare_bytes(b))
		return why(f, -ENOSPC,
			   "a test file of %llu MiB in %s would lie in memory, "
			   "of which it may take %llu MiB",
			   (unsigned long long)f->bytes >> 20, dir,
			   (unsigned long long)bench_spare_bytes(b) >> 20);
	return 0;
}

int file_data_open(struct bench *b, struct file_data *f, const char *dir,
		   const char *name, uint64_t bytes)
{
	int err = 0;

	*f = (struct file_data) { .bytes = bytes };
	dir = dir ? dir : bench_files(b);
	if ((size_t)snprintf(f->path, sizeof(f->path), "%s/%s", dir, name) >=
	    sizeof(f->path))
		return why(f, -ENAMETOOLONG, "%s", dir);
	if (use(f)) {
		err = check_room(b, f, dir);
		if (!err)
			err = make(f);
		if (!err)
			err = use(f);
	}
	if (!err)
		f->place = file_place_find(f->fd);
	return err;
}

int file_data_own(struct bench *b, struct file_data *f, unsigned int number)
{
	char name[32];

	snprintf(name, sizeof(name), "own-%u", number);
	return file_data_open(b, f, NULL, name, FILE_OWN_BYTES);
}

int file_data_reopen(struct bench *b, const struct file_data *f, int flags)
{
	const bool direct = flags & O_DIRECT;
	struct stat st;
	int fd;

	/* A tmpfs takes the flag since Linux 6.6, and reads the cache. */
	if (direct && f->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b, "the file lies in memory, where O_DIRECT "
				     "reaches no device");
	fd = open(f->path, flags | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return direct && errno == EINVAL
			       ? bench_skip(b, "the file system refuses "
					       "O_DIRECT")
			       : bench_fail(b, errno, "open %s", f->path);
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return bench_fail(b, 0, "%s is no regular file any more", f->path);
}

int file_data_uncache(struct bench *b, const struct file_data *f,
		      uint64_t offset, uint64_t len)
{
	const int64_t left = file_cache_drop(f->fd, offset, len);

	if (left < 0)
		return bench_fail(b, (int)-left, "drop %s from the cache",
				  f->path);
	return left ? bench_skip(b,
				 "%lld bytes of %s stay in the cache: "
				 "another process uses the file",
				 (long long)left, f->path)
		    : 0;
}

int file_data_probe(struct bench *b, struct file_data *f)
{
	struct file_counts counts;
	char *buffer = text_alloc(1, PROBE);
	ssize_t got = 0;

	/* Where nothing can be dropped nothing is read. */
	counts = file_counts(&f->place);
	if (!file_cache_drop(f->fd, 0, PROBE))
		got = io_read(f->fd, buffer, PROBE, 0);
	counts = file_counts_since(&f->place, &counts);
	free(buffer);
	if (counts.process_read < (int64_t)PROBE)
		f->place.io_untold = true;
	if (counts.device_read < (int64_t)PROBE)
		f->place.stat[0] = '\0';
	return got < 0 ? bench_fail(b, (int)-got, "read %s", f->path) : 0;
}

void file_data_remove(struct file_data *f)
{
	if (f->fd)
		close(f->fd);
	f->fd = 0;
	if (f->path[0])
		unlink(f->path);
}

/*
 * The page cache.
 */

/* @len, or what there is behind @offset. */
static int64_t length(int fd, uint64_t offset, uint64_t len)
{
	struct stat st;

	if (len)
		return (int64_t)len;
	if (fstat(fd, &st))
		return -errno;
	return st.st_size > (off_t)offset ? st.st_size - (off_t)offset : 0;
}

/* By mincore(): cachestat(2) counts the pages of the inode that it is given,
 * and where files lie on other files (overlay) that one has none. */
int64_t file_cache_bytes(int fd, uint64_t offset, uint64_t len)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const int64_t whole = length(fd, offset, len);
	const size_t bytes = (uint64_t)whole + offset % page;
	int64_t cached;
	void *map;

	if (whole <= 0)
		return whole;
	/* Its answer would be "all" whatever happened. */
	if (kernel_lacks(KERNEL_RESIDENT))
		return -ENOSYS;
	map = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd,
		   (off_t)(offset - offset % page));
	if (map == MAP_FAILED)
		return -errno;
	cached = mem_resident(map, bytes);
	munmap(map, bytes);
	return cached;
}

int64_t file_cache_drop(int fd, uint64_t offset, uint64_t len)
{
	const uint64_t low = offset / FOLIO * FOLIO, end = offset + len,
		       high = len ? (end + FOLIO - 1) / FOLIO * FOLIO : low;
	int64_t deadline = 0, cached;

	do {
		int err;

		/* Dirty pages cannot be dropped.  A file that cannot be synced
		 * (on a read-only file system) has none. */
		if (fsync(fd) && errno != EROFS && errno != EINVAL)
			return -errno;
		err = posix_fadvise(fd, (off_t)low, (off_t)(high - low),
				    POSIX_FADV_DONTNEED);
		if (err)
			return -err;
		cached = file_cache_bytes(fd, offset, len);
		/* A file that lies in memory only cannot be dropped. */
		if (cached <= 0 || (!deadline && file_place_find(fd).kind ==
							 FILE_PLACE_MEMORY))
			break;
		if (!deadline)
			deadline = deadline_in(DROP_MS);
		/* Pages that somebody is just looking at stay for now. */
		usleep(DROP_US);
	} while (!deadline_passed(deadline));
	return cached;
}

int64_t file_cache_fill(int fd, uint64_t offset, uint64_t len, size_t each)
{
	const int64_t whole = length(fd, offset, len);
	const size_t step = each < FILE_DATA_BLOCK ? FILE_DATA_BLOCK : each;
	char *buffer = text_alloc(1, step);
	int64_t err = whole < 0 ? whole : 0;

	for (int64_t at = 0; !err && at < whole; at += (int64_t)step)
		if (pread(fd, buffer, each, (off_t)offset + (off_t)at) < 0)
			err = -errno;
	free(buffer);
	return err ? err : file_cache_bytes(fd, offset, len);
}
