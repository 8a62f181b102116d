/* SPDX-License-Identifier: MIT */
/*
 * page_fault - what does it cost to touch a page that is not mapped yet?
 *
 * Each event touches one byte of one page for the first time and is timed by
 * itself. The kinds differ in where the kernel finds the page: anonymous (a
 * new page, cleared), zero (a read: the one page of zeros), thp (a huge page,
 * cleared), shared (shared anonymous memory), cow (a private file page that
 * was read before and is now written: it is copied), file (in the page cache;
 * the kernel maps its neighbours too, 64 KiB in all by default), file_single
 * (as file, but each page is a mapping of its own, so that only one is
 * mapped), major (not in the page cache, read from the disk: read-ahead off,
 * random offsets, and the kernel says that nothing of the file is cached
 * before it begins). userfaultfd is a fault that another thread of the program
 * resolves, on another CPU where there is one. populate rows map 1 MiB with
 * MAP_POPULATE and are the cost of each page of it. per=byte is the cost
 * divided by the bytes that the fault brought (4096; 2 MiB for thp).
 *
 * Pages of new memory come from what the process (or another) gave back just
 * before: in a virtual machine, memory that was never used by any one costs
 * more, because the hypervisor has to find it first; `cold` shows the first.
 * The disk of a virtual machine is often a file that its host caches.
 *
 * Measures: ns for one fault: the trap, the kernel's work, the return, and the
 *           access itself.
 * Includes: for major, reading 4 KiB from the device.
 * After:    lmbench lat_pagefault (cached file with fault-around, so not one
 *           fault a page: compare with file); the CSE 221 report's section 4.3
 *           (major).
 * Needs:    a directory on a disk for major (--dir); permission for
 *           userfaultfd of kernel faults or of user faults only.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench.h"
#include "lib/fault_file.h"
#include "lib/fault_user.h"
#include "lib/mem_buffer.h"

#define PAGE	     4096
#define PAGES	     1024 /* mapped at once, before the mapping is renewed */
#define HUGE_COUNT   8
#define FILE_TOUCHES 256
#define AROUND	     16 /* pages that the kernel maps around a file's */
#define POPULATED    256
#define FILE_BYTES   ((size_t)FILE_TOUCHES * AROUND * PAGE)
#define MAJOR_BYTES  ((size_t)4096 * PAGE)

enum kind {
	ANONYMOUS,
	ZERO,
	THP,
	SHARED,
	COW,
	CACHED,
	SINGLE,
	MAJOR,
	USER,
	POPULATE,
	POPULATE_FILE,
	KINDS
};

static const struct {
	const char *name;
	size_t step;	    /* bytes from touched page to touched page */
	unsigned int count; /* pages touched before the mapping is renewed */
	unsigned int events;
	bool write;
	size_t brings; /* bytes; 0: no row for it */
} kinds[KINDS] = {
	[ANONYMOUS] = { "anonymous", PAGE, PAGES, 1000, true, PAGE },
	[ZERO] = { "zero", PAGE, PAGES, 1000, false, 0 },
	[THP] = { "thp", MEM_HUGE_BYTES, HUGE_COUNT, 32, true, MEM_HUGE_BYTES },
	[SHARED] = { "shared", PAGE, PAGES, 1000, true, 0 },
	[COW] = { "cow", PAGE, PAGES, 1000, true, 0 },
	[CACHED] = { "file", (size_t)AROUND *PAGE, FILE_TOUCHES, 1000, false,
		     0 },
	[SINGLE] = { "file_single", PAGE, PAGES, 1000, false, PAGE },
	[MAJOR] = { "major", PAGE, PAGES, 200, false, PAGE },
	[USER] = { "userfaultfd", PAGE, PAGES, 300, true, 0 },
	[POPULATE] = { "populate", 0, 1, 50, true, 0 },
	[POPULATE_FILE] = { "populate_file", 0, 1, 50, false, 0 },
};

struct fault_state {
	const struct bench_case *kind[KINDS];
	const struct bench_case *byte[KINDS];
	int memory_file;	/* in memory, for what is in the page cache */
	struct fault_file disk; /* on a disk, for what is not */
	struct fault_user user;
	char *map, *base; /* what is being touched */
	size_t map_bytes;
	unsigned int touched;
	uint32_t order[MAJOR_BYTES / PAGE];
	unsigned int next_major;
	struct rusage before;
	uint64_t faults; /* events since enter() */
};

static int cases(struct bench *b, void *state)
{
	struct fault_state *s = state;

	s->memory_file = -1;
	fault_file_init(&s->disk);
	fault_user_init(&s->user);
	for (int k = 0; k < KINDS; k++) {
		const struct bench_case c = {
			.params = { P_STR("fault", kinds[k].name) },
			.index = k,
			.unit = "ns",
			.events = kinds[k].events,
			.histogram = BENCH_HIST_LOG,
			.budget_ms = k == MAJOR ? 80 : 40,
			.exclusive = k == MAJOR || k == USER,
		};
		const struct bench_case each_byte = {
			.params = { P_STR("fault", kinds[k].name),
				    P_STR("per", "byte") },
			.unit = "ns/B",
			.estimator = BENCH_EST_DERIVED,
			.derived = true,
		};

		s->kind[k] = bench_add(b, &c);
		if (kinds[k].brings)
			s->byte[k] = bench_add(b, &each_byte);
	}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct fault_state *s = state;

	s->memory_file = memfd_create("oscost-page-fault", MFD_CLOEXEC);
	if (s->memory_file < 0)
		return bench_fail(b, errno, "memfd_create");
	if (fault_file_fill(s->memory_file, FILE_BYTES))
		return bench_fail(b, errno, "write %zu bytes to memory",
				  FILE_BYTES);
	for (uint32_t i = 0; i < MAJOR_BYTES / PAGE; i++) {
		const uint32_t k = (uint32_t)(bench_random(b) % (i + 1));

		s->order[i] = s->order[k];
		s->order[k] = i;
	}
	return 0;
}

static void unmap(struct fault_state *s)
{
	if (s->map)
		munmap(s->map, s->map_bytes);
	s->map = s->base = NULL;
}

/* One mapping for each page, in descending order of the file, so that the
 * kernel cannot join them. */
static int map_single(struct bench *b, struct fault_state *s)
{
	for (size_t i = 0; i < PAGES; i++)
		if (mmap(s->base + i * PAGE, PAGE, PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, s->memory_file,
			 (off_t)((PAGES - 1 - i) * PAGE)) == MAP_FAILED)
			return bench_fail(b, errno, "mmap of one page");
	return 0;
}

static int map_plain(struct bench *b, struct fault_state *s, int flags, int fd,
		     size_t bytes)
{
	s->map_bytes = bytes;
	s->map = mmap(NULL, bytes,
		      PROT_READ |
			      (fd >= 0 && flags & MAP_SHARED ? 0 : PROT_WRITE),
		      flags, fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return bench_fail(b, errno, "mmap");
	}
	s->base = s->map;
	return 0;
}

/* Pages mapped, so that a write has something to copy. */
static void read_all(const struct fault_state *s)
{
	const volatile char *at = s->base;

	for (size_t i = 0; at && i < PAGES; i++)
		(void)at[i * PAGE];
}

static int map_huge(struct bench *b, struct fault_state *s)
{
	const size_t bytes = (HUGE_COUNT + 1) * MEM_HUGE_BYTES;
	const int err = map_plain(b, s, MAP_PRIVATE | MAP_ANONYMOUS, -1, bytes);
	const uintptr_t odd = (uintptr_t)s->map % MEM_HUGE_BYTES;

	if (err)
		return err;
	s->base = s->map + (odd ? MEM_HUGE_BYTES - odd : 0);
	if (madvise(s->map, bytes, MADV_HUGEPAGE))
		return bench_skip(b, "no transparent huge pages: madvise: %s",
				  strerror(errno));
	return 0;
}

/* A mapping of which nothing has been touched. */
static int renew(struct bench *b, struct fault_state *s, enum kind kind)
{
	const int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
	int err;

	unmap(s);
	s->touched = 0;
	switch (kind) {
	case THP:
		return map_huge(b, s);
	case SHARED:
		return map_plain(b, s, MAP_SHARED | MAP_ANONYMOUS, -1,
				 (size_t)PAGES * PAGE);
	case COW:
		err = map_plain(b, s, MAP_PRIVATE, s->memory_file,
				(size_t)PAGES * PAGE);
		if (!err)
			read_all(s);
		return err;
	case CACHED:
		return map_plain(b, s, MAP_SHARED, s->memory_file, FILE_BYTES);
	case SINGLE:
		err = map_plain(b, s, anonymous, -1, (size_t)PAGES * PAGE);
		return err ? err : map_single(b, s);
	case MAJOR:
		err = map_plain(b, s, MAP_SHARED, s->disk.fd, MAJOR_BYTES);
		if (!err && madvise(s->map, MAJOR_BYTES, MADV_RANDOM))
			return bench_fail(b, errno, "madvise(MADV_RANDOM)");
		return err;
	default:
		err = map_plain(b, s, anonymous, -1, (size_t)PAGES * PAGE);
		/* Else the first touch of 2 MiB would be a huge page's. */
		if (!err)
			(void)madvise(s->map, s->map_bytes, MADV_NOHUGEPAGE);
		return err;
	}
}

/* Drops the file from the cache and makes sure that it is out. */
static int begin_major(struct bench *b, struct fault_state *s)
{
	const char *why = NULL;
	int64_t cached;
	int err = 0;

	if (s->disk.fd < 0) {
		const char *dir = bench_scratch(b);

		if (!dir)
			return -1;
		err = fault_file_open(&s->disk, dir, MAJOR_BYTES, &why);
	}
	if (why)
		return bench_skip(b, "%s (try --dir)", why);
	if (err)
		return bench_fail(b, -err, "make a file of %zu bytes",
				  MAJOR_BYTES);
	cached = fault_file_drop(&s->disk, MAJOR_BYTES);
	if (cached < 0)
		return bench_fail(b, (int)-cached, "ask what is cached");
	if (cached > 0)
		return bench_skip(b, "%lld bytes of the file stay cached",
				  (long long)cached);
	bench_fact(b, s->kind[MAJOR], "cached_bytes_before", (double)cached);
	s->next_major = 0;
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum kind kind = (enum kind)c->index;
	int err = kind == MAJOR ? begin_major(b, s) : 0;

	if (!err && kind != POPULATE && kind != POPULATE_FILE)
		err = renew(b, s, kind);
	if (!err && kind == USER) {
		const char *why = NULL;

		err = fault_user_begin(&s->user, b, s->base,
				       (size_t)PAGES * PAGE, &why);
		if (err)
			return bench_skip(b, "userfaultfd: %s: %s",
					  why ? why : "failed", strerror(-err));
	}
	s->faults = 0;
	getrusage(RUSAGE_SELF, &s->before);
	return err;
}

/* Next page to touch; the mapping is renewed when all were. */
static int next_page(struct bench *b, struct fault_state *s, enum kind kind,
		     volatile char **at)
{
	int err = 0;

	if (kind == MAJOR) {
		if (s->next_major == MAJOR_BYTES / PAGE)
			return bench_fail(b, 0, "the file has been read");
		*at = s->base + (size_t)s->order[s->next_major++] * PAGE;
		return 0;
	}
	if (s->touched == kinds[kind].count) {
		if (kind == USER) {
			/* Registered: given back, its pages fault again. */
			madvise(s->base, s->map_bytes, MADV_DONTNEED);
			s->touched = 0;
		} else {
			struct rusage from, to;

			/* What renewing costs in faults is not counted. */
			getrusage(RUSAGE_SELF, &from);
			err = renew(b, s, kind);
			getrusage(RUSAGE_SELF, &to);
			s->before.ru_minflt += to.ru_minflt - from.ru_minflt;
		}
	}
	*at = s->base + s->touched++ * kinds[kind].step;
	return err;
}

/* The cost of each page when the kernel maps them all beforehand. */
static int sample_populate(struct bench *b, struct fault_state *s,
			   const struct bench_case *c)
{
	const bool file = c->index == POPULATE_FILE;
	const size_t bytes = (size_t)POPULATED * PAGE;
	uint64_t ticks;
	char *map;

	(void)s;
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       map = mmap(NULL, bytes,
				  file ? PROT_READ : PROT_READ | PROT_WRITE,
				  (file ? MAP_SHARED
					: MAP_PRIVATE | MAP_ANONYMOUS) |
					  MAP_POPULATE,
				  file ? s->memory_file : -1, 0));
	if (map == MAP_FAILED)
		return bench_fail(b, errno, "mmap(MAP_POPULATE)");
	{
		const struct mem_buffer m = { .base = map, .bytes = bytes };
		const int64_t resident = mem_resident(&m);

		bench_evidence(b, c, "resident_bytes", (double)bytes,
			       (double)resident);
	}
	munmap(map, bytes);
	bench_record_value(b, c, bench_ns(b, (double)ticks) / POPULATED);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum kind kind = (enum kind)c->index;
	volatile char *at = NULL;
	uint64_t ticks;
	int err;

	if (kind == POPULATE || kind == POPULATE_FILE)
		return sample_populate(b, s, c);
	err = next_page(b, s, kind, &at);
	if (err || !at)
		return err;
	if (kinds[kind].write) {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, *at = 1);
	} else {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, (void)*at);
	}
	s->faults++;
	bench_record(b, c, ticks);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum kind kind = (enum kind)c->index;
	struct rusage after;
	int64_t huge;

	getrusage(RUSAGE_SELF, &after);
	if (s->faults && kind == MAJOR)
		bench_evidence(b, c, "major_faults", (double)s->faults,
			       (double)(after.ru_majflt - s->before.ru_majflt));
	else if (s->faults && kind == USER)
		bench_evidence(b, c, "resolved_by_us", (double)s->faults,
			       (double)fault_user_end(&s->user));
	else if (s->faults)
		bench_evidence(b, c, "minor_faults", (double)s->faults,
			       (double)(after.ru_minflt - s->before.ru_minflt));
	if (s->faults && kind == THP && s->touched) {
		const struct mem_buffer m = { .base = s->base,
					      .bytes = s->touched *
						       MEM_HUGE_BYTES,
					      .pages = MEM_THP };

		huge = mem_huge_bytes(&m);
		bench_evidence(b, c, "huge_bytes", (double)m.bytes,
			       (double)huge);
	}
	fault_user_end(&s->user);
	unmap(s);
	return 0;
}

static int derive(struct bench *b, void *state)
{
	struct fault_state *s = state;

	for (int k = 0; k < KINDS; k++) {
		const double ns = bench_value(b, s->kind[k]);

		if (!s->byte[k])
			continue;
		if (isfinite(ns))
			bench_derive(b, s->byte[k],
				     ns / (double)kinds[k].brings);
		else
			bench_derive_skip(b, s->byte[k],
					  "fault=%s has no value",
					  kinds[k].name);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct fault_state *s = state;

	(void)b;
	fault_user_close(&s->user);
	unmap(s);
	fault_file_close(&s->disk);
	if (s->memory_file >= 0)
		close(s->memory_file);
}

const struct bench_desc bench_desc = {
	.name = "page_fault",
	.state_size = sizeof(struct fault_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
