/* SPDX-License-Identifier: MIT */
#include "fault_area.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_COUNT 8

#define AROUND_BYTES ((size_t)64 << 10) /* mm/memory.c: fault_around_bytes */

const struct fault_kind_info fault_kinds[FAULT_KINDS] = {
	[FAULT_ANONYMOUS] = { "anonymous", FAULT_PAGE, FAULT_PAGES, true,
			      FAULT_PAGE, false },
	[FAULT_ZERO] = { "zero", FAULT_PAGE, FAULT_PAGES, false, 0, false },
	[FAULT_THP] = { "thp", FAULT_HUGE, HUGE_COUNT, true, FAULT_HUGE,
			false },
	[FAULT_SHARED] = { "shared", FAULT_PAGE, FAULT_PAGES, true, 0, false },
	[FAULT_COW] = { "cow", FAULT_PAGE, FAULT_PAGES, true, 0, true },
	[FAULT_CACHED] = { "file", FAULT_AROUND, FAULT_TOUCHES, false, 0,
			   true },
	[FAULT_SINGLE] = { "file_single", FAULT_PAGE, FAULT_PAGES, false,
			   FAULT_PAGE, true },
	[FAULT_MAJOR] = { "major", FAULT_PAGE, FAULT_PAGES, false, FAULT_PAGE,
			  false },
	[FAULT_USER] = { "userfaultfd", FAULT_PAGE, FAULT_PAGES, true, 0,
			 false },
	[FAULT_POPULATE] = { "populate", 0, 1, true, 0, false },
	[FAULT_POPULATE_FILE] = { "populate_file", 0, 1, false, 0, true },
};

size_t fault_bytes(enum fault_unit unit)
{
	const size_t page = bench_page_bytes();

	switch (unit) {
	case FAULT_PAGE:
		return page;
	case FAULT_AROUND:
		return page > AROUND_BYTES ? page : AROUND_BYTES;
	case FAULT_HUGE:
		return MEM_HUGE_BYTES;
	default:
		return 0;
	}
}

size_t fault_file_bytes(void)
{
	const size_t around = FAULT_TOUCHES * fault_bytes(FAULT_AROUND);
	const size_t all = FAULT_PAGES * bench_page_bytes();

	return around > all ? around : all;
}

void fault_area_unmap(struct fault_area *a)
{
	if (a->map)
		munmap(a->map, a->map_bytes);
	a->map = a->base = NULL;
}

/* One mapping for each page, in descending order of the file, so that the
 * kernel cannot join them. */
static int map_single(struct bench *b, struct fault_area *a, int file)
{
	const size_t page = bench_page_bytes();

	for (size_t i = 0; i < FAULT_PAGES; i++)
		if (mmap(a->base + i * page, page, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, file,
			 (off_t)((FAULT_PAGES - 1 - i) * page)) == MAP_FAILED)
			return bench_fail(b, errno, "mmap of one page");
	return 0;
}

static int map_plain(struct bench *b, struct fault_area *a, int flags, int fd,
		     size_t bytes)
{
	a->map_bytes = bytes;
	a->map = mmap(NULL, bytes,
		      PROT_READ |
			      (fd >= 0 && flags & MAP_SHARED ? 0 : PROT_WRITE),
		      flags, fd, 0);
	if (a->map == MAP_FAILED) {
		a->map = NULL;
		return bench_fail(b, errno, "mmap");
	}
	a->base = a->map;
	return 0;
}

/* Pages mapped, so that a write has something to copy. */
static void read_all(const struct fault_area *a)
{
	const volatile char *at = a->base;
	const size_t page = bench_page_bytes();

	for (size_t i = 0; at && i < FAULT_PAGES; i++)
		(void)at[i * page];
}

static int map_huge(struct bench *b, struct fault_area *a)
{
	const size_t bytes = (HUGE_COUNT + 1) * MEM_HUGE_BYTES;
	const int err = map_plain(b, a, MAP_PRIVATE | MAP_ANONYMOUS, -1, bytes);
	const uintptr_t odd = (uintptr_t)a->map % MEM_HUGE_BYTES;

	if (err)
		return err;
	a->base = a->map + (odd ? MEM_HUGE_BYTES - odd : 0);
	if (madvise(a->map, bytes, MADV_HUGEPAGE))
		return bench_skip(b, "no transparent huge pages: madvise: %s",
				  strerror(errno));
	return 0;
}

/* A mapping of which nothing has been touched. */
int fault_area_renew(struct bench *b, struct fault_area *a,
		     enum fault_kind kind, int file, size_t bytes)
{
	const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	fault_area_unmap(a);
	a->touched = 0;
	switch (kind) {
	case FAULT_THP:
		return map_huge(b, a);
	case FAULT_SHARED:
		return map_plain(b, a, MAP_SHARED | MAP_ANONYMOUS, -1,
				 FAULT_PAGES * bench_page_bytes());
	case FAULT_COW:
		err = map_plain(b, a, MAP_PRIVATE, file,
				FAULT_PAGES * bench_page_bytes());
		if (!err)
			read_all(a);
		return err;
	case FAULT_CACHED:
		return map_plain(b, a, MAP_SHARED, file, bytes);
	case FAULT_SINGLE:
		err = map_plain(b, a, anonymous, -1,
				FAULT_PAGES * bench_page_bytes());
		return err ? err : map_single(b, a, file);
	case FAULT_MAJOR:
		err = map_plain(b, a, MAP_SHARED, file, bytes);
		if (!err && madvise(a->map, bytes, MADV_RANDOM))
			return bench_fail(b, errno, "madvise(MADV_RANDOM)");
		return err;
	default:
		err = map_plain(b, a, anonymous, -1,
				FAULT_PAGES * bench_page_bytes());
		/* Else the first touch of 2 MiB would be a huge page's. */
		if (!err)
			(void)madvise(a->map, a->map_bytes, MADV_NOHUGEPAGE);
		return err;
	}
}
