/* SPDX-License-Identifier: MIT */
#include "mem_buffer.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"
#include "mem.h"
#include "sample.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define MOST_S	   1 /* of warming up, at --effort 100: METHOD, step 4 */
#define MAX_PASSES ((uint64_t)1 << 20) /* in one batch */
#define READ_WRITE (PROT_READ | PROT_WRITE)
#define MOVE_OURS  2 /* MPOL_MF_MOVE, of a header few have */

static size_t round_up(size_t bytes, size_t step)
{
	return (bytes + step - 1) / step * step;
}

size_t mem_beyond_caches(const struct bench *b)
{
	const size_t mib = (size_t)1 << 20;
	size_t bytes = 0;

	for (unsigned int level = 1; level <= 3; level++)
		if (2 * bench_cache_bytes(b, level) > bytes)
			bytes = 2 * bench_cache_bytes(b, level);
	if (!bytes || bench_cache_hidden(b, 3))
		return 256 * mib;
	return bytes > 64 * mib ? round_up(bytes, MEM_HUGE_BYTES) : 64 * mib;
}

/* Base pages may be of 16K or 64K. */
static const char *name_of(enum mem_pages pages)
{
	return pages == MEM_4K	      ? bench_page_name()
	       : pages == MEM_HUGETLB ? "hugetlb"
				      : "thp";
}

int mem_map(struct mem_buffer *m, size_t bytes, enum mem_pages pages)
{
	const bool hugetlb = pages == MEM_HUGETLB;
	const size_t own = round_up(bytes, pages == MEM_4K ? bench_page_bytes()
							   : MEM_HUGE_BYTES);
	/* Room to align the start, and a margin on each side. */
	const size_t map_bytes = round_up(bytes, MEM_HUGE_BYTES) +
				 (hugetlb ? 0 : 2 * MEM_HUGE_BYTES);
	char *map;

	memset(m, 0, sizeof(*m));
	map = mmap(NULL, map_bytes, hugetlb ? READ_WRITE : PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | (hugetlb ? MAP_HUGETLB : 0),
		   -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	*m = (struct mem_buffer) {
		.base = hugetlb ? map
				: map + MEM_HUGE_BYTES -
					  (uintptr_t)map % MEM_HUGE_BYTES,
		.bytes = bytes,
		.pages = pages,
		.map = map,
		.map_bytes = map_bytes,
	};
	if (hugetlb)
		return 0;
	if (mmap(m->base, own, READ_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		const int err = errno;

		mem_unmap(m);
		return -err;
	}
	/* A refusal shows in the evidence, which is read from smaps. */
	(void)madvise(m->base, own,
		      pages == MEM_4K ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	return 0;
}

void mem_unmap(struct mem_buffer *m)
{
	if (m->map)
		munmap(m->map, m->map_bytes);
	memset(m, 0, sizeof(*m));
}

void mem_store_each(const struct mem_buffer *m)
{
	for (size_t at = 0; at < m->bytes; at += bench_page_bytes())
		*(volatile char *)(m->base + at) = 1;
}

void mem_touch(const struct mem_buffer *m)
{
	/* In one call, where the kernel can (Linux 5.14): half the time. */
	if (madvise(m->base, round_up(m->bytes, bench_page_bytes()),
		    MADV_POPULATE_WRITE))
		mem_store_each(m);
}

/* Whether it has the pages that were asked for; smaps may be missing. */
static int check(struct bench *b, const struct mem_buffer *m)
{
	if (m->pages == MEM_4K && m->huge > 0)
		return bench_fail(b, 0, "%lld bytes are on huge pages",
				  (long long)m->huge);
	if (m->pages == MEM_4K || m->pages == MEM_LARGE ||
	    m->huge >= (int64_t)m->bytes)
		return 0;
	return m->huge < 0
		       ? bench_skip(b,
				    "which pages it got is not known: "
				    "/proc/self/smaps: %s",
				    strerror((int)-m->huge))
		       : bench_skip(b, "only %lld of %zu bytes got huge pages",
				    (long long)m->huge, m->bytes);
}

int mem_have(struct bench *b, struct mem_buffer *m, size_t bytes,
	     enum mem_pages pages, int node)
{
	int err;

	if (m->base && m->bytes >= bytes && m->pages == pages &&
	    m->node == node)
		return check(b, m);
	mem_unmap(m);
	err = mem_map(m, bytes, pages);
	if (!err && node >= 0)
		err = bench_bind_memory(b, m->base, m->bytes, node);
	if (err) {
		mem_unmap(m);
		return err == -ENOMEM && pages == MEM_HUGETLB
			       ? bench_skip(b, "the pool of huge pages is too "
					       "small (sysctl vm.nr_hugepages)")
			       : bench_fail(b, -err,
					    "map %zu bytes of %s pages", bytes,
					    name_of(pages));
	}
	m->node = node;
	mem_touch(m);
	m->huge = mem_huge_in(m->base, m->bytes, pages == MEM_HUGETLB);
	return check(b, m);
}

void mem_flush(const void *base, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += MEM_LINE)
		ARCH_FLUSH((const char *)base + at);
	ARCH_FLUSHED();
}

int mem_node(char *at, int to)
{
	void *pages[] = { at };
	int status = -EIO;

	return syscall(SYS_move_pages, 0, 1, pages, to < 0 ? NULL : &to,
		       &status, MOVE_OURS)
		       ? -errno
		       : status;
}

struct job {
	struct bench *b;
	settle_fn *fn;
	void *arg;
	uint64_t passes;
};

static int batch(void *arg, uint64_t passes, uint64_t *ticks)
{
	struct job *j = arg;

	j->passes += passes;
	TIMER_INTERVAL(bench_timer(j->b)->method, *ticks,
		       j->fn(j->arg, passes));
	return 0;
}

double settle(struct bench *b, const struct bench_case *c, settle_fn *fn,
	      void *arg)
{
	const struct timer *clock = bench_timer(b);
	struct job job = { .b = b, .fn = fn, .arg = arg };
	struct sample_settled settled;
	uint64_t passes;
	double cold;

	if (sample_pilot(batch, &job, clock, MAX_PASSES, &passes, &cold) ||
	    sample_settle(batch, &job, passes,
			  MOST_S * clock->hz * bench_effort(b), &settled))
		return NAN;
	bench_fact(b, c, "passes", (double)job.passes);
	if (settled.still_falling)
		bench_fact_text(b, c, "still_falling",
				"passes still got faster when the time for "
				"warming up was over");
	return bench_ns(b, settled.best_ticks) / (double)passes;
}
