/* SPDX-License-Identifier: MIT */
/*
 * page_fault - what does it cost to touch a page that is not mapped yet?
 *
 * Each event touches one byte of one page for the first time and is timed by
 * itself. The kinds differ in where the kernel finds the page: anonymous (a
 * new page, cleared), zero (a read: the one page of zeros), thp (a huge page,
 * cleared), shared (shared anonymous memory), cow (a private file page that
 * was read before and is now written: it is copied), unzero (new memory that
 * was read before: the page of zeros gives way to a new one), reuse (a page
 * that a fork made a child share, which has ended: it is written and not
 * copied), file (in the page cache; the kernel maps its neighbours too, 64 KiB
 * in all by default), file_common (as file, but the pages are mapped elsewhere,
 * too, as those of libraries are), file_single (as file, but each page is a
 * mapping of its own, so that only one is mapped), major (not in the page
 * cache, read from the disk: read-ahead off, random offsets in a file of 64
 * MiB, of which the kernel reports that nothing is cached before it begins).
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
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "io.h"
#include "lib/map_calls.h"
#include "mem.h"
#include "partner.h"

#ifndef UFFD_USER_MODE_ONLY /* Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

#define PAGES	     1024 /* mapped at once, then the mapping is renewed */
#define POPULATED    256
#define DISK_PAGES   4096 /* in the file, or fewer where they are larger */
#define AROUND_BYTES ((size_t)64 << 10) /* mm/memory.c: fault_around_bytes */

#define OWN    (MAP_PRIVATE | MAP_ANONYMOUS)
#define COMMON (MAP_SHARED | MAP_ANONYMOUS)
/* Else the first touch of 2 MiB would be a huge page's. */
#define SMALL MADV_NOHUGEPAGE

static const struct kind {
	const char *name;
	enum { PLAIN, THP, COW, REUSE, ALSO, ONE, MAJOR, USER, POPULATE } how;
	int flags, advice; /* of mmap() and madvise() */
	bool memory_file, write;
	/* From touched page to touched page (a base page where that is more),
	 * and how many are touched before the mapping is renewed (POPULATE
	 * makes one for each event, MAJOR reads all of the file). */
	size_t step;
	unsigned int count;
} kinds[] = {
	{ "anonymous", PLAIN, OWN, SMALL, false, true, 0, PAGES },
	{ "zero", PLAIN, OWN, SMALL, false, false, 0, PAGES },
	{ "thp", THP, OWN, MADV_HUGEPAGE, false, true, MEM_HUGE_BYTES, 8 },
	{ "shared", PLAIN, COMMON, SMALL, false, true, 0, PAGES },
	{ "cow", COW, MAP_PRIVATE, 0, true, true, 0, PAGES },
	{ "unzero", COW, OWN, SMALL, false, true, 0, PAGES },
	{ "reuse", REUSE, OWN, SMALL, false, true, 0, PAGES },
	{ "file", PLAIN, MAP_SHARED, 0, true, false, AROUND_BYTES, 256 },
	{ "file_common", ALSO, MAP_SHARED, 0, true, false, AROUND_BYTES, 256 },
	{ "file_single", ONE, OWN, 0, true, false, 0, PAGES },
	{ "major", MAJOR, MAP_SHARED, MADV_RANDOM, false, false,
	  FILE_OWN_BYTES / DISK_PAGES, 0 },
	{ "userfaultfd", USER, OWN, SMALL, false, true, 0, PAGES },
	{ "populate", POPULATE, OWN, 0, false, true, 0, 0 },
	{ "populate_file", POPULATE, MAP_SHARED, 0, true, false, 0, 0 },
};

/* Another thread of this process, which resolves faults. */
struct fault_user {
	int uffd; /* 0: not open */
	struct partner thread;
	_Atomic uint64_t resolved;
	char page[65536]; /* what it puts there, as much as a page is */
};

struct fault_state {
	int memory_file; /* of what is in the page cache; 0: not yet made */
	struct file_data disk;	    /* of which nothing is */
	uint32_t order[DISK_PAGES]; /* in which its pages are read */
	struct fault_user user;
	/* A mapping in which nothing was touched before, in this visit. */
	char *map, *base;
	size_t map_bytes;
	char *also; /* of ALSO: its pages, mapped in all of the visit */
	unsigned int touched;
	long before;	 /* counted by the kernel when the visit began */
	uint64_t faults; /* events since then */
};

static const char points[] =
	"fault=$kinds per={-,byte};"
	"not per=byte fault!={anonymous,thp,file_single,major};"
	"is exclusive log unit=ns if !per; is derived unit='ns/B' if per;"
	"byte := [!per] / $page if fault!=thp; byte := [!per] / 2M if "
	"fault=thp;"
	"is threads if fault!={major,userfaultfd,reuse} !per;"
	"is ops=256 if fault={populate,populate_file};"
	/* Counts for the self-checks; those of userfaultfd are our own. */
	"needs resident if fault={populate,populate_file};"
	"needs faults if fault!={userfaultfd,populate,populate_file}";

static size_t step_bytes(const struct kind *k)
{
	const size_t page = bench_page_bytes();

	return page > k->step ? page : k->step;
}

static unsigned int count_of(const struct kind *k)
{
	return k->how == MAJOR ? (unsigned int)(FILE_OWN_BYTES / step_bytes(k))
			       : k->count;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct kind *k = CASE_OF(c, "fault", kinds);

	c->arg = k;
	/* Pages that are not cached, some to warm up.  The kernel's data about
	 * each page is in no cache at first, and after other cases. */
	c->most = k->how == MAJOR ? count_of(k) / 2 : 0;
	c->cycle = c->threads ? k->count : 0;
	return true;
}

static void cases(struct bench *b, void *state)
{
	BENCH_SET_NAMES(b, "kinds", kinds);
}

/* As large as any kind needs, of what is no zeros. */
static int make_memory_file(struct bench *b, struct fault_state *s)
{
	static char block[65536];
	const size_t bytes = PAGES * bench_page_bytes() > 256 * AROUND_BYTES
				     ? PAGES * bench_page_bytes()
				     : 256 * AROUND_BYTES;
	const int fd = memfd_create("oscost-page-fault", MFD_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return bench_fail(b, errno, "memfd_create");
	file_data_fill(block, sizeof(block), 0);
	for (size_t at = 0; !err && at < bytes; at += sizeof(block))
		err = io_write(fd, block, sizeof(block), (off_t)at);
	if (!err) {
		s->memory_file = fd;
		return 0;
	}
	close(fd);
	/* ulimit -f holds for memory as well. */
	return bench_fail(b, -err, "write %zu bytes to memory", bytes);
}

/* The file that others read as well, of which nothing is cached, and a random
 * order of its pages. */
static int begin_disk(struct bench *b, struct fault_state *s,
		      const struct bench_case *c)
{
	const struct file_place *place = &s->disk.place;
	int err = s->disk.fd ? 0 : file_data_own(b, &s->disk, 0);

	if (err)
		return bench_fail(b, -err, "%s", s->disk.why);
	if (place->kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: nothing is read from a disk (try "
				  "--dir)",
				  place->where);
	err = file_data_uncache(b, &s->disk, 0, 0);
	if (err)
		return err;
	bench_fact_text(b, c, "where", place->where);
	for (uint32_t i = 0; i < count_of(c->arg); i++) {
		const uint32_t k = (uint32_t)(bench_random(b) % (i + 1));

		s->order[i] = s->order[k];
		s->order[k] = i;
	}
	return 0;
}

/* Resolves faults; the signal that stops it ends its wait. */
static int serve(struct partner *t, void *arg)
{
	struct fault_user *u = arg;
	struct pollfd fd = { .fd = u->uffd, .events = POLLIN };

	while (!partner_stopping(t)) {
		struct uffd_msg msg;
		struct uffdio_copy copy = { .src = (uintptr_t)u->page,
					    .len = bench_page_bytes() };

		if (poll(&fd, 1, -1) < 1 ||
		    read(u->uffd, &msg, sizeof(msg)) != sizeof(msg) ||
		    msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		copy.dst = msg.arg.pagefault.address & ~(copy.len - 1);
		if (!ioctl(u->uffd, UFFDIO_COPY, &copy))
			atomic_fetch_add(&u->resolved, 1);
	}
	return 0;
}

/* From now on faults in the mapping go to a thread on the CPU nearest to the
 * measuring one. */
static int begin_user(struct bench *b, struct fault_state *s)
{
	struct fault_user *u = &s->user;
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	const int flags = O_CLOEXEC | O_NONBLOCK;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)s->base, .len = s->map_bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	atomic_store(&u->resolved, 0);
	memset(u->page, 0x5a, sizeof(u->page));
	/* Faults of user code are all that is needed; older kernels know no
	 * such restriction. */
	u->uffd = (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);
	if (u->uffd < 0 && errno == EINVAL)
		u->uffd = (int)syscall(SYS_userfaultfd, flags);
	if (u->uffd < 0 || ioctl(u->uffd, UFFDIO_API, &api) ||
	    ioctl(u->uffd, UFFDIO_REGISTER, &reg))
		return bench_skip(b, "userfaultfd: %s", strerror(errno));
	return partner_start(b, &u->thread, PARTNER_THREAD,
			     cpu < 0 ? bench_cpu(b) : cpu, serve, u);
}

static void unmap(struct fault_state *s)
{
	if (s->map)
		munmap(s->map, s->map_bytes);
	s->map = s->base = NULL;
	s->touched = 0;
}

/* All pages written, and shared for a moment with a child.  Return: 0 or -1. */
static int share_once(const struct fault_state *s)
{
	pid_t pid;

	memset(s->base, 1, s->map_bytes);
	pid = fork();
	if (!pid)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

/* Prepare a kind's new mapping.  Return: 0 or -1 with errno set. */
static int make_ready(struct fault_state *s, const struct kind *k)
{
	const size_t page = bench_page_bytes();
	int err = k->advice && madvise(s->map, s->map_bytes, k->advice) &&
		  k->advice != SMALL;

	if (k->how == THP)
		s->base += -(uintptr_t)s->map % MEM_HUGE_BYTES;
	/* Pages mapped, so that a write has something to copy. */
	for (size_t i = 0; k->how == COW && i < PAGES; i++)
		(void)((volatile char *)s->base)[i * page];
	if (k->how == ALSO && !s->also) {
		s->also = mmap(NULL, s->map_bytes, PROT_READ,
			       MAP_SHARED | MAP_POPULATE, s->memory_file, 0);
		err = s->also == MAP_FAILED;
	}
	/* In descending order, so that the kernel cannot join them. */
	for (size_t i = 0; k->how == ONE && !err && i < PAGES; i++)
		err = mmap(s->base + i * page, page, PROT_READ,
			   MAP_PRIVATE | MAP_FIXED, s->memory_file,
			   (off_t)((PAGES - 1 - i) * page)) == MAP_FAILED;
	return err || k->how != REUSE ? -err : share_once(s);
}

/* A mapping of which nothing has been touched, in place of the one there is. */
static int renew(struct bench *b, struct fault_state *s, const struct kind *k)
{
	const int fd = k->how == MAJOR		  ? s->disk.fd
		       : k->flags & MAP_ANONYMOUS ? -1
						  : s->memory_file;

	unmap(s);
	s->map_bytes = count_of(k) * step_bytes(k);
	if (k->how == THP)
		s->map_bytes += MEM_HUGE_BYTES; /* to align it */
	s->map = mmap(NULL, s->map_bytes,
		      fd >= 0 && k->flags & MAP_SHARED ? PROT_READ
						       : PROT_READ | PROT_WRITE,
		      k->flags, fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return bench_fail(b, errno, "mmap");
	}
	s->base = s->map;
	if (!make_ready(s, k))
		return 0;
	return k->how == THP
		       ? bench_skip(b, "no transparent huge pages: madvise: %s",
				    strerror(errno))
		       : bench_fail(b, errno, "make the mapping ready");
}

/* Linux 5.10 counts a fault in shared memory as a major one: it tries twice. */
static long count_faults(const struct kind *k)
{
	const struct rusage u = bench_usage(RUSAGE_THREAD);

	return k->how == MAJOR	    ? u.ru_majflt
	       : k->flags == COMMON ? u.ru_minflt + u.ru_majflt
				    : u.ru_minflt;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const struct kind *k = c->arg;
	int err = 0;

	if (k->how == MAJOR)
		err = begin_disk(b, s, c);
	if (!err && k->memory_file && !s->memory_file)
		err = make_memory_file(b, s);
	if (!err && k->how != POPULATE)
		err = renew(b, s, k);
	if (!err && k->how == USER)
		err = begin_user(b, s);
	if (!err && k->step == AROUND_BYTES)
		bench_fact(b, c, "pages_brought",
			   (double)step_bytes(k) / (double)bench_page_bytes());
	s->faults = 0;
	s->before = count_faults(k);
	return err;
}

/* Where no huge page is to be had the kernel gives a small one. */
static void count_huge(struct bench *b, const struct fault_state *s,
		       const struct bench_case *c)
{
	const size_t bytes = s->touched * MEM_HUGE_BYTES;

	if (bytes)
		bench_purity(b, c, "huge_bytes", BENCH_MOSTLY, (double)bytes,
			     (double)mem_huge_in(s->base, bytes, false));
}

/* Next page to touch; the mapping is renewed when all were. */
static int next_page(struct bench *b, struct fault_state *s,
		     const struct bench_case *c, volatile char **at)
{
	const struct kind *k = c->arg;
	int err = 0;

	if (s->touched == count_of(k)) {
		const long before = count_faults(k);

		if (k->how == MAJOR)
			return bench_fail(b, 0, "the file has been read");
		if (k->how == THP)
			count_huge(b, s, c);
		if (k->how == USER) {
			/* Registered: given back, its pages fault again. */
			madvise(s->base, s->map_bytes, MADV_DONTNEED);
			s->touched = 0;
		} else {
			err = renew(b, s, k);
		}
		/* Faults of the renewal itself are not counted. */
		s->before += count_faults(k) - before;
	}
	if (!err)
		*at = s->base + step_bytes(k) * (k->how == MAJOR
							 ? s->order[s->touched]
							 : s->touched);
	s->touched++;
	return err;
}

/* The cost of each page when the kernel maps them all beforehand. */
static int sample_populate(struct bench *b, struct fault_state *s,
			   const struct bench_case *c)
{
	const struct kind *k = c->arg;
	const size_t bytes = POPULATED * bench_page_bytes();
	const int prot = k->write ? PROT_READ | PROT_WRITE : PROT_READ;
	char *base;
	int64_t huge;
	uint64_t ticks;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       base = mmap(NULL, bytes, prot, k->flags | MAP_POPULATE,
				   k->memory_file ? s->memory_file : -1, 0));
	if (base == MAP_FAILED)
		return bench_fail(b, errno, "mmap(MAP_POPULATE)");
	bench_proof(b, c, "resident_bytes", (double)bytes,
		    (double)mem_resident(base, bytes));
	huge = k->memory_file ? 0 : mem_huge_in(base, bytes, false);
	munmap(base, bytes);
	/* MAP_POPULATE leaves no time for MADV_NOHUGEPAGE. */
	if (huge > 0)
		return bench_skip(b, "the kernel populates with huge pages");
	bench_record(b, c, ticks);
	return 0;
}

/* A sanitizer would look each page up in memory of its own, which faults, too.
 */
__attribute__((no_sanitize_address)) static int
sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const struct kind *k = c->arg;
	volatile char *at = NULL;
	uint64_t ticks;
	int err;

	if (k->how == POPULATE)
		return sample_populate(b, s, c);
	err = next_page(b, s, c, &at);
	if (err || !at)
		return err;
	if (k->write) {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, *at = 1);
	} else {
		TIMER_INTERVAL(bench_timer(b)->method, ticks, (void)*at);
	}
	s->faults++;
	bench_record(b, c, ticks);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct fault_state *s = state;
	const struct kind *k = c->arg;
	const double faults = (double)(count_faults(k) - s->before);
	struct fault_user *u = &s->user;

	partner_stop(&u->thread);
	if (u->uffd > 0)
		close(u->uffd);
	u->uffd = 0;
	if (s->faults && k->how == USER)
		bench_proof(b, c, "resolved_by_us", (double)s->faults,
			    (double)atomic_load(&u->resolved));
	else if (s->faults)
		bench_least(b, c,
			    k->how == MAJOR ? "major_faults" : "minor_faults",
			    (double)s->faults, faults);
	/* The program's own are few: twice as many are not one for a page. */
	if (s->faults && k->how != USER)
		bench_purity(b, c, "faults_of_pages", BENCH_MOSTLY, faults,
			     (double)s->faults);
	if (s->faults && k->how == THP)
		count_huge(b, s, c);
	unmap(s);
	if (s->also && s->also != MAP_FAILED)
		munmap(s->also, count_of(k) * step_bytes(k));
	s->also = NULL;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct fault_state),
	.points = points,
	.point = point,
	.cases = cases,
	.enter = enter,
	.sample = sample,
	.leave = leave,
};
