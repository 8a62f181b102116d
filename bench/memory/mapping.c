/* SPDX-License-Identifier: MIT */
/*
 * mapping - what do mmap, munmap, mprotect, madvise and mremap cost, by the
 * size of the mapping?
 *
 * Each event is one call on anonymous memory, timed by itself; what it needs
 * is made ready before and put back after. The mapping is exactly so large, so
 * that no call splits one, and has page tables of its own. pages=untouched:
 * nothing of it is in memory, so the call works on the mapping alone.
 * pages=touched: a store to each base page came right before, so the call also
 * goes to each page. mprotect takes
 * away the right to write; madvise gives the pages back (MADV_DONTNEED); mremap
 * moves the mapping to another address (MREMAP_FIXED onto a reserved one).
 *
 * op=map_touch_unmap is lmbench's figure, of a file: mmap (shared), a write
 * to every fourth of the first tenth of its pages, munmap.  The pages are
 * cached, each by itself: what is written in large pieces lies in large folios,
 * and one fault may map all of one (see the fact faults).
 *
 * Measures: ns for one call; of map_touch_unmap for all three parts.
 * Includes: entering and leaving the kernel; for touched munmap and madvise,
 *           freeing the pages; interrupts to other CPUs only if other threads
 *           run (none does).
 * After:    lmbench lat_mmap (map_touch_unmap: comparable at equal sizes).
 * Needs:    4 MiB of memory; for map_touch_unmap 6.4 MiB of disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "io.h"
#include "lib/map_calls.h"

/* $sizes: a page, and larger.  MAP_POPULATE is what page_fault measures. */
static const char points[] =
	"op={mmap,munmap,mprotect,madvise,mremap} pages={untouched,touched} "
	"size={$sizes,?4K..1G/4K};"
	"not op=mmap pages=touched; is threads; needs memory=size;"
	"needs resident if op=madvise; needs resident if pages=untouched "
	"op!=munmap;"
	"op=map_touch_unmap pages=file size={4M,64M,?4K..1G/4K};"
	"needs memory=size";

/* As by lmbench: of a file one part in TENTH, there a byte in each TOUCH. */
#define TENTH 10
#define TOUCH (16 << 10)

struct mapping_state {
	struct map_area area;
	int file; /* of map_touch_unmap; 0: not open */
	size_t file_bytes;
	char mark; /* that is written to it in the event under way */
	struct file_place place;
};

/* Return: whether all three parts went right. */
static bool map_touch_unmap(struct mapping_state *s)
{
	const size_t size = s->area.bytes;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file,
		       0);

	s->area.at = p;
	if (p == MAP_FAILED)
		return false;
	for (size_t i = 0; i < size / TENTH; i += TOUCH)
		((volatile char *)p)[i] = s->mark;
	return !munmap(p, size);
}

/* As far as the file itself says. */
static bool stores_in_file(const struct mapping_state *s)
{
	size_t seen = 0, asked = 0;
	char byte;

	for (size_t i = 0; i < s->area.bytes / TENTH; i += TOUCH, asked++)
		seen += pread(s->file, &byte, 1, (off_t)i) == 1 &&
			byte == s->mark;
	return seen == asked;
}

#define CALL_LOCALS struct mapping_state *const s CALL_LOCAL = state;
#define CALLS(X)                                      \
	X(EVENT, map_touch_unmap, map_touch_unmap(s), \
	  map_is_hole(s->area.at, s->area.bytes) && stores_in_file(s))
CALL_FUNCTIONS(CALLS)
static const struct call file_calls[] = CALL_ROWS(CALLS);

static bool is_file(const struct bench_case *c)
{
	return case_is(c, "pages", "file");
}

static bench_case_fn sample_file;

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	struct mapping_state *s = state;
	const size_t size = (size_t)case_int(c, "size");

	call_choose(c, is_file(c) ? file_calls : map_calls);
	if (size % bench_page_bytes())
		c->skip = "no multiple of this machine's page";
	if (is_file(c))
		c->sample = sample_file;
	if (is_file(c) && size > s->file_bytes)
		s->file_bytes = size;
	return true;
}

static void cases(struct bench *b, void *state)
{
	static const int64_t more[] = { 64 << 10, 1 << 20, 4 << 20 };
	int64_t sizes[4] = { (int64_t)bench_page_bytes() };
	size_t n = 1;

	for (size_t i = 0; i < 3; i++)
		if (more[i] > sizes[0])
			sizes[n++] = more[i];
	bench_set_numbers(b, "sizes", BENCH_SIZE, sizes, n);
}

/* Only the part that is written here is read. */
static int make_file(struct bench *b, struct mapping_state *s)
{
	const char *dir = bench_scratch(b);
	static char block[65536]; /* the largest page that there is */
	char path[PATH_MAX];
	const size_t page = bench_page_bytes();
	int err;

	snprintf(path, sizeof(path), "%s/mapped", dir);
	/* Or reading it after an event would change its inode each time, which
	 * makes the stores of the next one three times as slow. */
	s->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOATIME,
		       0600);
	err = s->file < 0 ? -errno : 0;
	file_data_fill(block, sizeof(block), 0);
	for (size_t at = 0; !err && at < s->file_bytes / TENTH; at += page)
		err = io_write(s->file, block, page, (off_t)at);
	if (!err && ftruncate(s->file, (off_t)s->file_bytes))
		err = -errno;
	if (err)
		return bench_skip(b, "make %s: %s", path, strerror(-err));
	s->place = file_place_find(s->file);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	int err;

	s->area.bytes = (size_t)case_int(c, "size");
	s->area.touched = case_is(c, "pages", "touched");
	if (!is_file(c))
		return 0;
	err = s->file <= 0 ? make_file(b, s) : 0;
	if (!err)
		bench_fact_text(b, c, "where", s->place.where);
	return err;
}

static int sample_file(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const long before = bench_usage(RUSAGE_SELF).ru_minflt;
	uint64_t ticks;
	bool good;

	s->mark++;
	good = call_of(c)->time(state, c, bench_timer(b)->method, &ticks);
	if (good)
		bench_fact(b, c, "faults",
			   (double)(bench_usage(RUSAGE_SELF).ru_minflt -
				    before));
	return call_took(b, state, c, good, ticks);
}

const struct bench_desc bench_desc = {
	.points = points,
	.state_size = sizeof(struct mapping_state),
	.point = add_point,
	.cases = cases,
	.enter = enter,
	.sample = call_sample,
	.prepare = map_prepare,
	.conclude = map_conclude,
	.leave = map_leave,
};
