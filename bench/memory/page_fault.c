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
 * random offsets in a file of 64 MiB, of which the kernel says that nothing is
 * cached before it begins).
 * userfaultfd is a fault that another thread of the program resolves, on
 * another CPU where there is one. populate rows map 1 MiB with MAP_POPULATE and
 * are the cost of each page of it. per=byte is the cost divided by the bytes
 * that the fault brought (a base page; 2 MiB for thp).
 *
 * Pages of new memory come from what the process (or another) gave back just
 * before: in a virtual machine, memory that was never used by any one costs
 * more, because the hypervisor has to find it first; `cold` shows the first.
 * The disk of a virtual machine is often a file that its host caches.
 *
 * Measures: ns for one fault: the trap, the kernel's work, the return, and the
 *           access itself.
 * Includes: for major, reading 4 KiB from the device.
 * After:    lmbench lat_pagefault (each page of a cached file in random order:
 *           faults as of file, each of which maps 16 pages, but divided by
 *           the pages: compare with a 16th of file); the CSE 221 report's
 *           section 4.3 (major).
 * Needs:    64 MiB of disk for major (--dir); permission for
 *           userfaultfd of kernel faults or of user faults only.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "kernel_tells.h"
#include "lib/fault_area.h"
#include "lib/fault_disk.h"
#include "lib/fault_user.h"
#include "lib/mem_buffer.h"

#define POPULATED 256

struct fault_state {
	int memory_file; /* of what is in the page cache; -1: not yet made */
	struct fault_disk disk; /* for what is not */
	struct fault_user user;
	struct fault_area area;
	const struct bench_case *now; /* of this visit */
	struct rusage before;
	uint64_t faults; /* events since enter() */
};

static const char points[] =
	"fault=$kinds per={-,byte};"
	"is exclusive log unit=ns if !per; is derived unit='ns/B' if per;"
	"is threads if fault!={major,userfaultfd} !per;"
	/* What evidence rests on; those of userfaultfd are counted by us. */
	"needs resident if fault={populate,populate_file};"
	"needs faults if fault!={userfaultfd,populate,populate_file}";

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const size_t k = CASE_NTH(c, "fault", fault_kinds);

	c->index = (int64_t)k;
	if (c->derived)
		return fault_kinds[k].brings;
	/* Pages that are not cached, some to warm up.  What the kernel keeps of
	 * each page is in no cache at first, and after other cases. */
	c->most = k == FAULT_MAJOR ? fault_disk_pages() / 2 : 0;
	c->cycle = c->threads ? fault_kinds[k].count : 0;
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct fault_state *s = state;

	s->memory_file = -1;
	fault_user_init(&s->user);
	BENCH_SET_NAMES(b, "kinds", fault_kinds);
	return 0;
}

/* Writes @bytes that are no zeros.  Return: 0, or -1 with errno set. */
static int fill_file(int fd, size_t bytes)
{
	static char block[65536];

	mem_fill(block, sizeof(block), bytes);
	for (size_t done = 0; done < bytes;) {
		const size_t left = bytes - done;
		const ssize_t n =
			write(fd, block,
			      left < sizeof(block) ? left : sizeof(block));

		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct fault_state *s = state;

	fault_disk_init(&s->disk, b);
	return 0;
}

/* For the kinds that need it: ulimit -f holds for memory as well. */
static int make_memory_file(struct bench *b, struct fault_state *s)
{
	const size_t bytes = fault_file_bytes();
	const int fd = memfd_create("oscost-page-fault", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return bench_fail(b, errno, "memfd_create");
	if (!fill_file(fd, bytes)) {
		s->memory_file = fd;
		return 0;
	}
	err = errno;
	close(fd);
	return err == EFBIG
		       ? bench_skip(b, "write %zu bytes to memory: %s", bytes,
				    strerror(err))
		       : bench_fail(b, err, "write %zu bytes to memory", bytes);
}

static int renew(struct bench *b, struct fault_state *s, enum fault_kind kind)
{
	const bool disk = kind == FAULT_MAJOR;

	return fault_area_renew(b, &s->area, kind,
				disk ? s->disk.file.fd : s->memory_file,
				disk ? s->disk.file.bytes : fault_file_bytes());
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum fault_kind kind = (enum fault_kind)c->index;
	int err = 0;

	s->now = c;
	if (kind == FAULT_MAJOR)
		err = fault_disk_begin(&s->disk, b, c);
	if (!err && fault_kinds[kind].memory_file && s->memory_file < 0)
		err = make_memory_file(b, s);
	if (!err && kind != FAULT_POPULATE && kind != FAULT_POPULATE_FILE)
		err = renew(b, s, kind);
	if (!err && kind == FAULT_USER)
		err = fault_user_begin(&s->user, b, s->area.base,
				       FAULT_PAGES * bench_page_bytes());
	if (!err && kind == FAULT_CACHED)
		bench_fact(b, c, "pages_brought",
			   (double)fault_bytes(FAULT_AROUND) /
				   (double)bench_page_bytes());
	s->faults = 0;
	getrusage(RUSAGE_THREAD, &s->before);
	return err;
}

/* Where no huge page is to be had the kernel gives a small one. */
static void count_huge(struct bench *b, const struct fault_state *s,
		       const struct bench_case *c)
{
	const struct mem_buffer m = { .base = s->area.base,
				      .bytes = s->area.touched * MEM_HUGE_BYTES,
				      .pages = MEM_THP };

	if (s->area.touched)
		bench_purity(b, c, "huge_bytes", BENCH_MOSTLY, (double)m.bytes,
			     (double)mem_huge_bytes(&m));
}

/* Next page to touch; the mapping is renewed when all were. */
static int next_page(struct bench *b, struct fault_state *s,
		     enum fault_kind kind, volatile char **at)
{
	int err = 0;

	if (kind == FAULT_MAJOR) {
		const int64_t offset = fault_disk_next(&s->disk);

		if (offset < 0)
			return bench_fail(b, 0, "the file has been read");
		*at = s->area.base + offset;
		return 0;
	}
	if (s->area.touched == fault_kinds[kind].count) {
		if (kind == FAULT_USER) {
			/* Registered: given back, its pages fault again. */
			madvise(s->area.base, s->area.map_bytes, MADV_DONTNEED);
			s->area.touched = 0;
		} else {
			struct rusage from, to;

			/* What renewing costs in faults is not counted. */
			getrusage(RUSAGE_THREAD, &from);
			if (kind == FAULT_THP)
				count_huge(b, s, s->now);
			err = renew(b, s, kind);
			getrusage(RUSAGE_THREAD, &to);
			s->before.ru_minflt += to.ru_minflt - from.ru_minflt;
			if (err)
				return err;
		}
	}
	*at = s->area.base +
	      s->area.touched++ * fault_bytes(fault_kinds[kind].step);
	return err;
}

/* The cost of each page when the kernel maps them all beforehand. */
static int sample_populate(struct bench *b, struct fault_state *s,
			   const struct bench_case *c)
{
	const bool file = c->index == FAULT_POPULATE_FILE;
	const size_t bytes = POPULATED * bench_page_bytes();
	int64_t huge;
	uint64_t ticks;
	char *map;

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

		bench_proof(b, c, "resident_bytes", (double)bytes,
			    (double)resident);
		huge = file ? 0 : mem_huge_bytes(&m);
	}
	munmap(map, bytes);
	/* MAP_POPULATE leaves no time for MADV_NOHUGEPAGE. */
	if (huge > 0)
		return bench_skip(b, "the kernel populates with huge pages");
	bench_record_value(b, c, bench_ns(b, (double)ticks) / POPULATED);
	return 0;
}

/* A sanitizer would look each page up in memory of its own, which faults, too.
 */
__attribute__((no_sanitize_address)) static int
sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum fault_kind kind = (enum fault_kind)c->index;
	volatile char *at = NULL;
	uint64_t ticks;
	int err;

	if (kind == FAULT_POPULATE || kind == FAULT_POPULATE_FILE)
		return sample_populate(b, s, c);
	err = next_page(b, s, kind, &at);
	if (err || !at)
		return err;
	if (fault_kinds[kind].write) {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, *at = 1);
	} else {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, (void)*at);
	}
	s->faults++;
	bench_record(b, c, ticks);
	return 0;
}

/* Linux 5.10 counts a fault in shared memory as a major one: it tries twice. */
static double minor_faults(const struct fault_state *s, enum fault_kind kind,
			   const struct rusage *after)
{
	long n = after->ru_minflt - s->before.ru_minflt;

	if (kind == FAULT_SHARED)
		n += after->ru_majflt - s->before.ru_majflt;
	return (double)n;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const enum fault_kind kind = (enum fault_kind)c->index;
	struct rusage after;
	double faults;

	getrusage(RUSAGE_THREAD, &after);
	faults = kind == FAULT_MAJOR
			 ? (double)(after.ru_majflt - s->before.ru_majflt)
			 : minor_faults(s, kind, &after);
	if (s->faults && kind == FAULT_USER)
		bench_proof(b, c, "resolved_by_us", (double)s->faults,
			    (double)fault_user_end(&s->user));
	else if (s->faults && kind == FAULT_MAJOR)
		bench_least(b, c, "major_faults", (double)s->faults, faults);
	else if (s->faults)
		bench_least(b, c, "minor_faults", (double)s->faults, faults);
	/* The program's own are few: twice as many are not one for a page. */
	if (s->faults && kind != FAULT_USER)
		bench_purity(b, c, "faults_of_pages", BENCH_MOSTLY, faults,
			     (double)s->faults);
	if (s->faults && kind == FAULT_THP)
		count_huge(b, s, c);
	fault_user_end(&s->user);
	fault_area_unmap(&s->area);
	return 0;
}

static int derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "per=byte") {
		const struct bench_case *whole = bench_beside(b, c, "!per");
		const double ns = bench_value(b, whole);

		if (isfinite(ns))
			bench_derive(
				b, c,
				ns / (double)fault_bytes(
					     fault_kinds[c->index].brings));
		else
			bench_derive_skip(b, c, "%s has no value", whole->name);
	}
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct fault_state *s = state;

	fault_user_end(&s->user);
	fault_area_unmap(&s->area);
	file_data_close(&s->disk.file);
	if (s->memory_file >= 0)
		close(s->memory_file);
}

const struct bench_desc bench_desc = {
	.name = "page_fault",
	.state_size = sizeof(struct fault_state),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
