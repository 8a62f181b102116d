/* SPDX-License-Identifier: MIT */
/* Which parts of a file are in the page cache. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "deadline.h"
#include "file_data.h"
#include "file_place.h"
#include "kernel_tells.h"

#define WINDOW	((uint64_t)64 << 20) /* mapped at once for mincore() */
#define DROP_MS 10000 /* what is being read ahead cannot be dropped */
#define DROP_US 2000

/* Pages come and go in folios, at most so large, at multiples of their size:
 * one that is only partly in the range is not dropped. */
#define FOLIO ((uint64_t)2 << 20)

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
	unsigned char *pages;
	int64_t cached = 0;

	if (whole <= 0)
		return whole;
	/* Its answer would be "all" whatever happened. */
	if (kernel_lacks(KERNEL_RESIDENT))
		return -ENOSYS;
	pages = text_alloc(WINDOW / page + 1, 1);
	len = (uint64_t)whole + offset % page;
	offset -= offset % page;
	for (uint64_t at = 0; cached >= 0 && at < len; at += WINDOW) {
		const uint64_t n = len - at < WINDOW ? len - at : WINDOW;
		void *map = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd,
				 (off_t)(offset + at));

		if (map == MAP_FAILED || mincore(map, n, pages))
			cached = -errno;
		for (uint64_t i = 0; cached >= 0 && i < (n + page - 1) / page;
		     i++)
			cached += pages[i] & 1 ? (int64_t)page : 0;
		if (map != MAP_FAILED)
			munmap(map, n);
	}
	free(pages);
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
