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
 * visits each page. mprotect takes
 * away the right to write; madvise gives the pages back (MADV_DONTNEED); mremap
 * moves the mapping to another address (MREMAP_FIXED onto a reserved one).
 *
 * call=map_touch_unmap is lmbench's figure, of a file: mmap (shared), a write
 * to every fourth of the first tenth of its pages, munmap.  The pages are
 * cached, each by itself: what is written in large pieces lies in large folios,
 * and one fault may map all of one (the fact faults tells).
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
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "kernel_tells.h"
#include "lib/mem_buffer.h"

#define KIB  ((size_t)1 << 10)
#define MIB  ((size_t)1 << 20)
#define PAGE (4 * KIB) /* the least that there is */

/* Of a file of so many bytes one part in TENTH is written to, a byte in each
 * TOUCH, as by lmbench. */
static const int64_t file_sizes[] = { 4 * MIB, 64 * MIB };
#define TENTH 10
#define TOUCH (16 * KIB)

enum call { MMAP, MUNMAP, MPROTECT, MADVISE, MREMAP, CALLS };

static const char *const call_names[] = { "mmap", "munmap", "mprotect",
					  "madvise", "mremap" };
static const char *const pages_names[] = { "untouched", "touched" };
static const int64_t sizes[] = { 64 * KIB, MIB, 4 * MIB }; /* and a page */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct bench_open open_axes[] = {
	{ "size", BENCH_SIZE, PAGE, (int64_t)1 << 30, PAGE },
	{ 0 },
};

struct mapping_state {
	struct mem_buffer buffer; /* of the event under way */
	struct mem_buffer target; /* reserved addresses for mremap */
	char *map;		  /* by mmap in the event */
	bool hole;		  /* the call has taken the buffer away */
	int file;		  /* of map_touch_unmap; 0: not open */
	size_t file_bytes;
	char mark; /* that is written to it in the event under way */
	struct file_place place;
};

static bench_case_fn sample_file;

static const char *why_not(const struct bench *b, size_t size)
{
	return size % bench_page_bytes() ? "no multiple of this machine's page"
	       : size > bench_spare_bytes(b)
		       ? "needs more than a quarter of the memory that is free "
			 "or that the memory cgroup leaves"
		       : NULL;
}

static void add_files(struct bench *b, struct mapping_state *s)
{
	int64_t size[COUNT(file_sizes) + BENCH_ASKED];
	const size_t n =
		bench_values(b, "size", file_sizes, COUNT(file_sizes), size);

	for (size_t i = 0; i < n; i++) {
		if ((size_t)size[i] > s->file_bytes)
			s->file_bytes = (size_t)size[i];
		bench_add(b,
			  &(struct bench_case) {
				  .params = { P_STR("call", "map_touch_unmap"),
					      P_STR("pages", "file"),
					      P_SIZE("size", size[i]) },
				  .sample = sample_file,
				  .skip = why_not(b, (size_t)size[i]),
			  });
	}
}

static int cases(struct bench *b, void *state)
{
	const int64_t page = (int64_t)bench_page_bytes();
	int64_t size[1 + COUNT(sizes) + BENCH_ASKED] = { page };
	size_t n = 1;

	for (size_t i = 0; i < COUNT(sizes); i++)
		if (sizes[i] > page)
			size[n++] = sizes[i];
	n = bench_values(b, "size", size, n, size);

	for (int call = 0; call < CALLS; call++)
		for (int touched = 0; touched < 2; touched++)
			for (size_t i = 0; i < n; i++) {
				const struct bench_case c = {
					.params = { P_STR("call",
							  call_names[call]),
						    P_STR("pages",
							  pages_names[touched]),
						    P_SIZE("size", size[i]) },
					.index = call * 2 + touched,
					.threads = true,
					.skip = why_not(b, (size_t)size[i]),
				};

				/* A mapping made with MAP_POPULATE is what
				 * page_fault measures. */
				if (call != MMAP || !touched)
					bench_add(b, &c);
			}
	add_files(b, state);
	return 0;
}

/* Nobody reads more of it than what is written here. */
static int make_file(struct bench *b, struct mapping_state *s)
{
	const char *dir = bench_scratch(b);
	static char block[65536]; /* the largest page that there is */
	char path[PATH_MAX];
	const size_t page = bench_page_bytes();

	if (!dir)
		return -EIO; /* bench_scratch() has said why */
	snprintf(path, sizeof(path), "%s/mapped", dir);
	/* Or reading it after an event would change its inode each time, which
	 * makes the stores of the next one three times as dear. */
	s->file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOATIME,
		       0600);
	if (s->file < 0)
		return bench_skip(b, "make %s: %s", path, strerror(errno));
	file_data_fill(block, sizeof(block), 0);
	for (size_t at = 0; at < s->file_bytes / TENTH; at += page)
		if (pwrite(s->file, block, page, (off_t)at) != (ssize_t)page)
			return bench_skip(b, "write %s: %s", path,
					  strerror(errno));
	if (ftruncate(s->file, (off_t)s->file_bytes))
		return bench_skip(b, "lengthen %s: %s", path, strerror(errno));
	file_place_find(&s->place, s->file);
	return 0;
}

static enum call call_of(const struct bench_case *c)
{
	return (enum call)(c->index / 2);
}

static size_t size_of(const struct bench_case *c)
{
	return (size_t)c->params[2].number;
}

static bool is_touched(const struct bench_case *c)
{
	return c->index % 2;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const int err = c->sample && s->file <= 0 ? make_file(b, s) : 0;

	if (c->sample && !err)
		bench_fact_text(b, c, "where", s->place.where);
	if (c->sample || call_of(c) == MUNMAP)
		return err;
	/* Pages that were touched are there, except after madvise(). */
	return !is_touched(c) || call_of(c) == MADVISE
		       ? kernel_needs(b, KERNEL_RESIDENT)
		       : 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const size_t size = size_of(c);
	int err;

	if (c->sample || call_of(c) == MMAP)
		return 0;
	err = mem_map(&s->buffer, size, MEM_4K);
	if (!err && call_of(c) == MREMAP)
		err = mem_map(&s->target, size, MEM_4K);
	if (err)
		return bench_fail(b, -err, "map %zu bytes", size);
	if (is_touched(c))
		mem_store_each(&s->buffer);
	return 0;
}

static int do_mmap(struct mapping_state *s, size_t size)
{
	s->map = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return s->map == MAP_FAILED;
}

static int do_mremap(struct mapping_state *s, size_t size)
{
	return mremap(s->buffer.base, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
		      s->target.base) != s->target.base;
}

/* Whether the kernel, too, is refused to write there. */
static bool is_read_only(char *at)
{
	return mincore(at, 1, (unsigned char *)at) && errno == EFAULT;
}

/* mincore() knows no memory that is not mapped. */
static bool is_hole(char *at, size_t size)
{
	const struct mem_buffer m = { .base = at, .bytes = size };

	return mem_resident(&m) == -ENOMEM;
}

/* What has to be so after the call: in memory or not, where it should be. */
static bool happened(struct mapping_state *s, const struct bench_case *c)
{
	const bool touched = is_touched(c);
	const size_t size = size_of(c);
	const struct mem_buffer at = {
		.base = call_of(c) == MMAP     ? s->map
			: call_of(c) == MREMAP ? s->target.base
					       : s->buffer.base,
		.bytes = size,
	};
	const int64_t resident = mem_resident(&at);

	switch (call_of(c)) {
	case MUNMAP:
		return is_hole(at.base, size);
	case MMAP:
	case MADVISE:
		return resident == 0;
	case MREMAP:
		return is_hole(s->buffer.base, size) &&
		       resident == (touched ? (int64_t)size : 0);
	default:
		return is_read_only(at.base) &&
		       is_read_only(at.base + size - bench_page_bytes()) &&
		       resident == (touched ? (int64_t)size : 0);
	}
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const enum timer_method method = bench_timer(b)->method;
	const size_t size = size_of(c);
	uint64_t ticks;
	int bad;

	switch (call_of(c)) {
	case MMAP:
		TIMER_INTERVAL(method, ticks, bad = do_mmap(s, size));
		break;
	case MUNMAP:
		TIMER_INTERVAL(method, ticks,
			       bad = munmap(s->buffer.base, size));
		break;
	case MPROTECT:
		TIMER_INTERVAL(method, ticks,
			       bad = mprotect(s->buffer.base, size, PROT_READ));
		break;
	case MADVISE:
		TIMER_INTERVAL(method, ticks,
			       bad = madvise(s->buffer.base, size,
					     MADV_DONTNEED));
		break;
	default:
		TIMER_INTERVAL(method, ticks, bad = do_mremap(s, size));
	}
	if (bad)
		return bench_fail(b, errno, "%s of %zu bytes",
				  call_names[call_of(c)], size);
	s->hole = call_of(c) == MUNMAP || call_of(c) == MREMAP;
	bench_record(b, c, ticks);
	bench_proof(b, c, "calls_in_effect", 1, happened(s, c));
	return 0;
}

/* Return: 0, or what of it failed.  @at: where it was. */
static int map_touch_unmap(const struct mapping_state *s, size_t size,
			   char **at)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->file,
		       0);

	*at = p;
	if (p == MAP_FAILED)
		return -1;
	for (size_t i = 0; i < size / TENTH; i += TOUCH)
		((volatile char *)p)[i] = s->mark;
	return munmap(p, size);
}

static int64_t minor_faults(void)
{
	struct rusage u = { 0 };

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt;
}

/* As far as the file itself says.  @asked: how many stores there were. */
static size_t stores_in_file(const struct mapping_state *s, size_t size,
			     size_t *asked)
{
	size_t seen = 0;
	char byte;

	*asked = 0;
	for (size_t i = 0; i < size / TENTH; i += TOUCH, ++*asked)
		seen += pread(s->file, &byte, 1, (off_t)i) == 1 &&
			byte == s->mark;
	return seen;
}

static int sample_file(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const size_t size = size_of(c);
	int64_t faults = minor_faults();
	size_t asked, seen;
	uint64_t ticks;
	char *at;
	int bad;

	s->mark++;
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       bad = map_touch_unmap(s, size, &at));
	if (bad)
		return bench_fail(b, errno, "map and unmap %zu bytes", size);
	faults = minor_faults() - faults;
	bench_record(b, c, ticks);
	bench_fact(b, c, "faults", (double)faults);
	seen = stores_in_file(s, size, &asked);
	bench_proof(b, c, "stores_in_file", (double)asked, (double)seen);
	bench_proof(b, c, "calls_in_effect", 1, is_hole(at, size));
	return 0;
}

static void put_back(struct mapping_state *s, size_t size)
{
	if (s->map && s->map != MAP_FAILED)
		munmap(s->map, size);
	s->map = NULL;
	if (s->hole)
		mem_unmap_margins(&s->buffer);
	s->hole = false;
	mem_unmap(&s->buffer);
	mem_unmap(&s->target);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	if (!c->sample)
		put_back(state, size_of(c));
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	return conclude(b, state, c, 1);
}

static void teardown(struct bench *b, void *state)
{
	const struct mapping_state *s = state;

	if (s->file > 0)
		close(s->file);
}

const struct bench_desc bench_desc = {
	.name = "mapping",
	.open = open_axes,
	.state_size = sizeof(struct mapping_state),
	.cases = cases,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
