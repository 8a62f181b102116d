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
#include "sysfile.h"
#include "ways.h"

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

/* Shared memory. */

static int open_shm(struct bench *b, struct ways *s)
{
	int fd;

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

static bool use_memory(int fd, size_t n, size_t page)
{
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
	return use_memory(fd, s->n, s->page);
}

static bool use_memfd(struct ways *s)
{
	return use_memory(memfd_create("oscost-ways", MFD_CLOEXEC), s->n,
			  s->page);
}

/* Advice for ranges: each second page. */

static int open_ranges(struct bench *b, struct ways *s)
{
	return madvise(s->memory, s->page, MADV_COLD)
		       ? bench_skip(b, "madvise(MADV_COLD): %s",
				    strerror(errno))
		       : 0;
}

static size_t advise_each(const struct ways *s)
{
	size_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		right += !madvise(s->memory + 2 * k * s->page, s->page,
				  MADV_COLD);
	return right;
}

static long advise_all(const struct ways *s)
{
	struct iovec v[WAYS_MOST];

	for (size_t k = 0; k < s->n; k++)
		v[k] = (struct iovec) { s->memory + 2 * k * s->page, s->page };
	return syscall(SYS_process_madvise, s->fd[0], v, s->n, MADV_COLD, 0);
}

static int open_self(struct bench *b, struct ways *s)
{
	if (ways_keep(s, (int)syscall(SYS_pidfd_open, getpid(), 0)) < 0 ||
	    advise_all(s) < 0)
		return bench_skip(b, "process_madvise: %s", strerror(errno));
	return 0;
}

/* New memory, a region of n bytes at an address that is a multiple of n. */

static bool touch(volatile char *at, size_t bytes, size_t page)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 1;
	return true;
}

static size_t faults_now(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (size_t)r.ru_minflt;
}

/* In a hole twice its size a region of @n is aligned. */
static int ready_touch(struct bench *b, struct ways *s)
{
	ways_unmap(s);
	s->hole = mmap(NULL, 2 * s->n, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	s->at = s->hole + s->n - ((uintptr_t)s->hole & (s->n - 1));
	/* Without access first: locked memory would be filled at once.  A
	 * kernel that has no huge pages refuses to be told to take none. */
	if (s->hole == MAP_FAILED ||
	    (madvise(s->at, s->n, s->advice) && s->advice == MADV_HUGEPAGE) ||
	    mprotect(s->at, s->n, PROT_READ | PROT_WRITE))
		return bench_fail(b, errno, "map %zu bytes", s->n);
	s->faults = faults_now();
	return 0;
}

static bool faulted(const struct ways *s)
{
	const size_t taken = faults_now() - s->faults, pages = s->n / s->page;

	/* A fault elsewhere may be among them. */
	return s->advice == MADV_HUGEPAGE ? 2 * taken <= pages : taken >= pages;
}

static int open_pages(struct bench *b, struct ways *s)
{
	s->ready = ready_touch;
	s->advice = MADV_NOHUGEPAGE;
	return s->n < s->page ? bench_skip(b, "smaller than a page of %s",
					   bench_page_name())
			      : kernel_needs(b, KERNEL_FAULTS);
}

/* One fault for all of it: a folio of this size, or a larger one. */
static int open_folio(struct bench *b, struct ways *s)
{
	char path[128], text[64];

	s->ready = ready_touch;
	s->advice = MADV_HUGEPAGE;
	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/enabled",
		 s->n >> 10);
	if (sysfile_line(text, sizeof(text), "%s", path) <= 0)
		return bench_skip(b, "no folios of this size (no %s)", path);
	if (strstr(text, "[never]"))
		return bench_skip(b, "%s is never; madvise allows it", path);
	return 0;
}

#define CALLS(W)                                                          \
	W(EVENT, memory_shm_open, open_shm, use_shm(s), CALL_UNSEEN)      \
	W(EVENT, memory_memfd, NULL, use_memfd(s), CALL_UNSEEN)           \
	W(LOOP, advise_madvise, open_ranges, advise_each(s), CALL_UNSEEN) \
	W(LOOP, advise_process_madvise, open_self,                        \
	  (size_t)advise_all(s) / s->page, CALL_UNSEEN)                   \
	W(EVENT, touch_pages, open_pages, touch(s->at, s->n, s->page),    \
	  faulted(s))                                                     \
	W(EVENT, touch_folio, open_folio, touch(s->at, s->n, s->page),    \
	  faulted(s))
WAYS_FUNCTIONS(CALLS)
const struct way ways_memory[] = WAYS_ROWS(CALLS);
