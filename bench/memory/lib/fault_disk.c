/* SPDX-License-Identifier: MIT */
#include "fault_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault_area.h"
#include "file_data.h"
#include "file_place.h"

void fault_disk_init(struct fault_disk *d, struct bench *b)
{
	d->fd = -1;
	for (uint32_t i = 0; i < FAULT_DISK_PAGES; i++) {
		const uint32_t k = (uint32_t)(bench_random(b) % (i + 1));

		d->order[i] = d->order[k];
		d->order[k] = i;
	}
}

static uint64_t step(const struct fault_disk *d)
{
	return d->bytes / FAULT_DISK_PAGES;
}

/* Room for the pages, far apart where the disk has to seek from one to the
 * next and the file system can keep that room. */
static void spread(struct fault_disk *d, const struct file_place *place,
		   const char *dir)
{
	const uint64_t packed = FAULT_DISK_PAGES * (uint64_t)bench_page_bytes();
	const int64_t room = file_data_room(dir);
	uint64_t wide = FAULT_DISK_SPREAD;

	d->bytes = packed;
	if (place->rotational != 1)
		return;
	if (room < (int64_t)wide)
		wide = room > 0 ? (uint64_t)room / packed * packed : 0;
	if (wide > packed && !fallocate(d->fd, 0, 0, (off_t)wide))
		d->bytes = wide;
}

/* Writes pages that are no zeros.  Return: 0, or -1 with errno set. */
static int fill(const struct fault_disk *d)
{
	static char page[65536]; /* the largest that there are */
	const size_t bytes = bench_page_bytes();

	mem_fill(page, bytes, d->bytes);
	for (uint64_t i = 0; i < FAULT_DISK_PAGES; i++)
		if (pwrite(d->fd, page, bytes, (off_t)(i * step(d))) !=
		    (ssize_t)bytes)
			return -1;
	return fsync(d->fd);
}

static int open_file(struct fault_disk *d, struct bench *b)
{
	const char *dir = bench_scratch(b);
	struct file_place place;
	char path[4096];

	if (!dir)
		return -1; /* it has said why */
	if (snprintf(path, sizeof(path), "%s/faults", dir) >= (int)sizeof(path))
		return bench_fail(b, ENAMETOOLONG, "%s", dir);
	d->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (d->fd < 0)
		return bench_fail(b, errno, "make %s", path);
	unlink(path);
	if (file_place_find(&place, d->fd))
		return bench_fail(b, errno, "find where %s lies", path);
	if (place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b, "the scratch directory is in memory, not "
				     "on a disk (try --dir)");
	spread(d, &place, dir);
	if (fill(d))
		return bench_fail(b, errno, "write %u pages to %s",
				  FAULT_DISK_PAGES, path);
	return 0;
}

/* Bytes of the file that stay in the page cache, or -errno. */
static int64_t drop(const struct fault_disk *d)
{
	struct mem_buffer m = { .bytes = d->bytes };
	int64_t cached = file_cache_drop(d->fd, 0, d->bytes);

	/* Where files lie on other files it may be blind: look ourselves. */
	if (cached)
		return cached;
	m.base = mmap(NULL, m.bytes, PROT_READ, MAP_SHARED, d->fd, 0);
	if (m.base == MAP_FAILED)
		return -errno;
	cached = mem_resident(&m);
	munmap(m.base, m.bytes);
	return cached;
}

int fault_disk_begin(struct fault_disk *d, struct bench *b,
		     const struct bench_case *c)
{
	const int err = d->fd < 0 ? open_file(d, b) : 0;
	int64_t cached;

	if (err)
		return err;
	cached = drop(d);
	if (cached < 0)
		return bench_fail(b, (int)-cached, "ask what is cached");
	if (cached > 0)
		return bench_skip(b, "%lld bytes of the file stay cached",
				  (long long)cached);
	bench_fact(b, c, "cached_bytes_before", (double)cached);
	bench_fact(b, c, "spread_over_bytes", (double)d->bytes);
	d->next = 0;
	return 0;
}

int64_t fault_disk_next(struct fault_disk *d)
{
	return d->next < FAULT_DISK_PAGES
		       ? (int64_t)(d->order[d->next++] * step(d))
		       : -1;
}

void fault_disk_close(struct fault_disk *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}
