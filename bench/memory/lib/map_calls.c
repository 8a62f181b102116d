/* SPDX-License-Identifier: MIT */
#include "map_calls.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mem.h"

bool map_is_hole(char *at, size_t bytes)
{
	return mem_resident(at, bytes) == -ENOMEM;
}

/* Whether as much of it is in memory as before the call. */
static bool is_kept(const struct map_area *s, char *at)
{
	return mem_resident(at, s->bytes) ==
	       (s->touched ? (int64_t)s->bytes : 0);
}

/* Whether the kernel, too, is refused to write there. */
static bool is_read_only(char *at)
{
	return mincore(at, 1, (unsigned char *)at) && errno == EFAULT;
}

#define CALL_LOCALS struct map_area *const s CALL_LOCAL = state;
#define CALLS(X)                                                            \
	X(EVENT, mmap,                                                      \
	  (s->at = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE,             \
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED, \
	  mem_resident(s->at, s->bytes) == 0)                               \
	X(EVENT, mremap,                                                    \
	  mremap(s->at, s->bytes, s->bytes, MREMAP_MAYMOVE | MREMAP_FIXED,  \
		 s->target.base) == s->target.base,                         \
	  map_is_hole(s->at, s->bytes) && is_kept(s, s->target.base))       \
	X(EVENT, mprotect, !mprotect(s->at, s->bytes, PROT_READ),           \
	  is_read_only(s->at) &&                                            \
		  is_read_only(s->at + s->bytes - bench_page_bytes()) &&    \
		  is_kept(s, s->at))                                        \
	X(EVENT, munmap, !munmap(s->at, s->bytes),                          \
	  map_is_hole(s->at, s->bytes))                                     \
	X(EVENT, madvise, !madvise(s->at, s->bytes, MADV_DONTNEED),         \
	  mem_resident(s->at, s->bytes) == 0)                               \
	X(EVENT, membarrier,                                                \
	  !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), \
	  CALL_UNSEEN)                                                      \
	X(EVENT, migrate, mem_node(s->at, s->node) == s->node,              \
	  mem_node(s->at, -1) == s->node)
CALL_FUNCTIONS(CALLS)
const struct call map_calls[] = CALL_ROWS(CALLS);

int map_prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct map_area *a = state;
	int err;

	if (call_is(c, "mmap") || call_is(c, "membarrier") ||
	    call_is(c, "map_touch_unmap"))
		return 0;
	err = mem_map(&a->buffer, a->bytes, MEM_4K);
	if (!err && call_is(c, "mremap"))
		err = mem_map(&a->target, a->bytes, MEM_4K);
	if (err)
		return bench_fail(b, -err, "map %zu bytes", a->bytes);
	a->at = a->buffer.base;
	if (a->touched)
		mem_store_each(&a->buffer);
	return 0;
}

void map_unmap_margins(struct mem_buffer *m)
{
	char *end = m->base + m->bytes;

	munmap(m->map, (size_t)(m->base - m->map));
	munmap(end, (size_t)(m->map + m->map_bytes - end));
	memset(m, 0, sizeof(*m));
}

void map_leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct map_area *a = state;

	if (call_is(c, "mmap") && a->at && a->at != MAP_FAILED)
		munmap(a->at, a->bytes);
	a->at = NULL;
	if (call_is(c, "munmap") || call_is(c, "mremap"))
		map_unmap_margins(&a->buffer);
	mem_unmap(&a->buffer);
	mem_unmap(&a->target);
}

void map_conclude(struct bench *b, void *state, const struct bench_case *c,
		  uint64_t iters)
{
	map_leave(b, state, c);
}
