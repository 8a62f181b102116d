/* SPDX-License-Identifier: MIT */
/*
 * mapping - what do mmap, munmap, mprotect, madvise and mremap cost, by the
 * size of the mapping?
 *
 * Each event is one call on anonymous memory, timed by itself; what it needs
 * is made ready before and put back after. pages=untouched: nothing of the
 * mapping is in memory, so the call works on the mapping alone. pages=touched:
 * all of it is (base pages), so the call also visits each page. mprotect takes
 * away the right to write; madvise gives the pages back (MADV_DONTNEED); mremap
 * moves the mapping to another address (MREMAP_FIXED onto a reserved one).
 *
 * Measures: ns for one call.
 * Includes: entering and leaving the kernel; for touched munmap and madvise,
 *           freeing the pages; interrupts to other CPUs only if other threads
 *           run (none does).
 * After:    lmbench lat_mmap (which also touches pages and unmaps in one
 *           figure: not comparable).
 * Needs:    4 MiB of memory.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "lib/mem_buffer.h"

#define KIB  ((size_t)1 << 10)
#define MIB  ((size_t)1 << 20)
#define PAGE (4 * KIB)

enum call { MMAP, MUNMAP, MPROTECT, MADVISE, MREMAP, CALLS };

static const char *const call_names[] = { "mmap", "munmap", "mprotect",
					  "madvise", "mremap" };
static const char *const pages_names[] = { "untouched", "touched" };
static const size_t sizes[] = { 4 * KIB, 64 * KIB, MIB, 4 * MIB };

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

struct mapping_state {
	struct mem_buffer buffer; /* of the event under way */
	char *map;		  /* by mmap in the event */
	char *target;		  /* reserved addresses for mremap */
	char *source;		  /* what is moved there */
	bool hole; /* the call has taken the middle out of the buffer */
};

static int cases(struct bench *b, void *state)
{
	for (int call = 0; call < CALLS; call++)
		for (int touched = 0; touched < 2; touched++)
			for (size_t i = 0; i < SIZES; i++) {
				const struct bench_case c = {
					.params = { P_STR("call",
							  call_names[call]),
						    P_STR("pages",
							  pages_names[touched]),
						    P_SIZE("size",
							   (int64_t)sizes[i]) },
					.index = (int64_t)((size_t)(call * 2 +
								    touched) *
								   SIZES +
							   i),
				};

				/* A mapping made with MAP_POPULATE is what
				 * page_fault measures. */
				if (call != MMAP || !touched)
					bench_add(b, &c);
			}
	return 0;
}

static enum call call_of(const struct bench_case *c)
{
	return (enum call)((size_t)c->index / SIZES / 2);
}

static size_t size_of(const struct bench_case *c)
{
	return sizes[(size_t)c->index % SIZES];
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct mapping_state *s = state;
	const bool touched = (size_t)c->index / SIZES % 2;
	const size_t size = size_of(c);
	int err;

	if (call_of(c) == MMAP)
		return 0;
	err = mem_map(&s->buffer, size, MEM_4K);
	if (err)
		return bench_fail(b, -err, "map %zu bytes", size);
	s->source = s->buffer.base;
	if (touched)
		mem_touch(&s->buffer);
	if (call_of(c) != MREMAP)
		return 0;
	s->target = mmap(NULL, size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->target == MAP_FAILED) {
		s->target = NULL;
		return bench_fail(b, errno, "reserve %zu bytes", size);
	}
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
	return mremap(s->source, size, size, MREMAP_MAYMOVE | MREMAP_FIXED,
		      s->target) != s->target;
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
	const bool touched = (size_t)c->index / SIZES % 2;
	const size_t size = size_of(c);
	const struct mem_buffer at = {
		.base = call_of(c) == MMAP     ? s->map
			: call_of(c) == MREMAP ? s->target
					       : s->source,
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
		return is_hole(s->source, size) &&
		       resident == (touched ? (int64_t)size : 0);
	default:
		return is_read_only(at.base) &&
		       is_read_only(at.base + size - PAGE) &&
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
		TIMER_INTERVAL(method, ticks, bad = munmap(s->source, size));
		break;
	case MPROTECT:
		TIMER_INTERVAL(method, ticks,
			       bad = mprotect(s->source, size, PROT_READ));
		break;
	case MADVISE:
		TIMER_INTERVAL(method, ticks,
			       bad = madvise(s->source, size, MADV_DONTNEED));
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

static void put_back(struct mapping_state *s, size_t size)
{
	if (s->map && s->map != MAP_FAILED)
		munmap(s->map, size);
	if (s->target)
		munmap(s->target, size);
	s->map = s->target = s->source = NULL;
	/* Only what is left: others may live in the hole by now. */
	if (s->hole) {
		char *end = s->buffer.base + size;

		munmap(s->buffer.map, (size_t)(s->buffer.base - s->buffer.map));
		munmap(end,
		       (size_t)(s->buffer.map + s->buffer.map_bytes - end));
		s->buffer.map = NULL;
	}
	s->hole = false;
	mem_unmap(&s->buffer);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	put_back(state, size_of(c));
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	put_back(state, size_of(c));
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "mapping",
	.state_size = sizeof(struct mapping_state),
	.cases = cases,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
};
