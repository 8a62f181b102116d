/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel_tells.h"
#include "ways.h"

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

static int open_new(struct bench *b, struct ways *s)
{
	s->wanted = 1;
	return 0;
}

/* Shared memory. */

static int open_shm(struct bench *b, struct ways *s)
{
	int fd;

	s->wanted = 1;
	snprintf(s->name, sizeof(s->name), "/oscost-ways-%016llx",
		 (unsigned long long)bench_random(b));
	bench_guard(b, "shmem", s->name);
	fd = shm_open(s->name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return bench_skip(b, "shm_open: %s", strerror(errno));
	close(fd);
	shm_unlink(s->name);
	return 0;
}

static bool use_memory(int fd, size_t n)
{
	const size_t page = bench_page_bytes();
	char *m = MAP_FAILED;
	bool good = false;

	if (fd >= 0 && !ftruncate(fd, (off_t)n))
		m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m != MAP_FAILED) {
		for (size_t at = 0; at < n; at += page)
			m[at] = 1;
		good = m[(n - 1) / page * page] == 1;
		munmap(m, n);
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool use_shm(struct ways *s)
{
	const int fd = shm_open(s->name, O_RDWR | O_CREAT | O_EXCL, 0600);

	shm_unlink(s->name);
	return use_memory(fd, s->n);
}

static bool use_memfd(struct ways *s)
{
	return use_memory(memfd_create("oscost-ways", MFD_CLOEXEC), s->n);
}

WAYS_SAMPLE(shm, use_shm(s))
WAYS_SAMPLE(memfd, use_memfd(s))

/* Advice for ranges: each second page. */

static int open_ranges(struct bench *b, struct ways *s)
{
	s->wanted = s->n;
	return madvise(s->memory, bench_page_bytes(), MADV_COLD)
		       ? bench_skip(b, "madvise(MADV_COLD): %s",
				    strerror(errno))
		       : 0;
}

static int run_madvise(struct bench *b, void *state, const struct bench_case *c,
		       uint64_t iters)
{
	const size_t page = bench_page_bytes();
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++)
		for (size_t k = 0; k < s->n; k++)
			s->done += !madvise(s->memory + 2 * k * page, page,
					    MADV_COLD);
	return 0;
}

static long advise_all(const struct ways *s, size_t page)
{
	struct iovec v[WAYS_MOST];

	for (size_t k = 0; k < s->n; k++)
		v[k] = (struct iovec) { s->memory + 2 * k * page, page };
	return syscall(SYS_process_madvise, s->fd[0], v, s->n, MADV_COLD, 0);
}

static int open_self(struct bench *b, struct ways *s)
{
	s->wanted = s->n;
	if (ways_keep(s, (int)syscall(SYS_pidfd_open, getpid(), 0)) < 0 ||
	    advise_all(s, bench_page_bytes()) < 0)
		return bench_skip(b, "process_madvise: %s", strerror(errno));
	return 0;
}

static int run_process_madvise(struct bench *b, void *state,
			       const struct bench_case *c, uint64_t iters)
{
	const size_t page = bench_page_bytes();
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->done += (uint64_t)advise_all(s, page) / page;
	return 0;
}

/* New memory, a region of n bytes at an address that is a multiple of n. */

static int open_pages(struct bench *b, struct ways *s)
{
	s->wanted = 1;
	return s->n < bench_page_bytes()
		       ? bench_skip(b, "smaller than a page of %s",
				    bench_page_name())
		       : kernel_needs(b, KERNEL_FAULTS);
}

static int open_folio(struct bench *b, struct ways *s)
{
	char path[128], text[64] = "";
	FILE *f;

	s->wanted = 1;
	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/enabled",
		 s->n >> 10);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	if (!text[0])
		return bench_skip(b, "no folios of this size (no %s)", path);
	if (strstr(text, "[never]"))
		return bench_skip(b, "%s is never; madvise allows it", path);
	return 0;
}

static void touch(volatile char *at, size_t bytes, size_t page)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 1;
}

static size_t faults_now(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (size_t)r.ru_minflt;
}

/* In a hole twice its size a region of @n is aligned. */
static int sample_touch(struct bench *b, struct ways *s,
			const struct bench_case *c, int advice)
{
	char *hole = mmap(NULL, 2 * s->n, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *at = hole + s->n - ((uintptr_t)hole & (s->n - 1));
	uint64_t ticks;
	const size_t page = bench_page_bytes(), pages = s->n / page;
	size_t before, taken;

	/* Without access first: locked memory would be filled at once.  A
	 * kernel that has no huge pages refuses to be told to take none. */
	if (hole == MAP_FAILED ||
	    (madvise(at, s->n, advice) && advice == MADV_HUGEPAGE) ||
	    mprotect(at, s->n, PROT_READ | PROT_WRITE))
		return bench_fail(b, errno, "map %zu bytes", s->n);
	before = faults_now();
	TIMER_INTERVAL(bench_timer(b)->method, ticks, touch(at, s->n, page));
	taken = faults_now() - before;
	/* A fault elsewhere may be among them. */
	s->done +=
		advice == MADV_HUGEPAGE ? 2 * taken <= pages : taken >= pages;
	munmap(hole, 2 * s->n);
	bench_record(b, c, ticks);
	return 0;
}

static int sample_pages(struct bench *b, void *state,
			const struct bench_case *c)
{
	return sample_touch(b, state, c, MADV_NOHUGEPAGE);
}

/* One fault for all of it: a folio of this size, or a larger one. */
static int sample_folio(struct bench *b, void *state,
			const struct bench_case *c)
{
	return sample_touch(b, state, c, MADV_HUGEPAGE);
}

const struct way ways_memory[] = {
	{ "memory", "shm_open", WAY_SIZES, open_shm, NULL, sample_shm, false,
	  0 },
	{ "memory", "memfd", WAY_SIZES, open_new, NULL, sample_memfd, false,
	  0 },
	{ "advise", "madvise", WAY_BATCHES, open_ranges, run_madvise, NULL,
	  false, 0 },
	{ "advise", "process_madvise", WAY_BATCHES, open_self,
	  run_process_madvise, NULL, false, 0 },
	{ "touch", "pages", WAY_FOLIOS, open_pages, NULL, sample_pages, false,
	  0 },
	{ "touch", "folio", WAY_FOLIOS, open_folio, NULL, sample_folio, false,
	  0 },
	{ 0 },
};
