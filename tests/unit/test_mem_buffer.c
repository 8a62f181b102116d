/* SPDX-License-Identifier: MIT */
/* A buffer is a mapping of exactly its size: no call on all of it splits one.
 * Lines that are thrown out of the caches are not in them. */
#include <stdio.h>
#include <sys/mman.h>

#include "../../bench/memory/lib/chase.h"
#include "../../bench/memory/lib/map_calls.h"

#include "arch.h"
#include "mem.h"
#include "tests.h"
#include "timer.h"

/* How many mappings lie in the addresses of @m and its margins; *@exact:
 * whether one is just @m. */
static int mappings(const struct mem_buffer *m, bool *exact)
{
	const unsigned long base = (unsigned long)(uintptr_t)m->base;
	const unsigned long begin = (unsigned long)(uintptr_t)m->map;
	const unsigned long end = begin + m->map_bytes;
	char line[512], access[5];
	unsigned long from, to;
	int n = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	*exact = false;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s", &from, &to, access) == 3 &&
		    from < end && to > begin) {
			n++;
			*exact |= from == base && to == base + m->bytes &&
				  access[0] == 'r';
		}
	if (f)
		fclose(f);
	return n;
}

static void calls(size_t bytes)
{
	struct mem_buffer m = { 0 };
	struct mem_buffer was;
	bool exact;

	OK(mem_map(&m, bytes, MEM_4K) == 0, "mapped");
	was = m;
	OK(mappings(&m, &exact) == 3 && exact,
	   "a mapping of exactly these between two margins");
	OK((uintptr_t)m.base % MEM_HUGE_BYTES == 0, "at a huge page's begin");
	mem_store_each(&m);
	OK(mem_resident(m.base, bytes) == (int64_t)bytes, "all of it is there");
	OK(!mprotect(m.base, bytes, PROT_READ) && mappings(&m, &exact) == 3 &&
		   exact,
	   "mprotect() splits none");
	OK(!munmap(m.base, bytes) && mappings(&m, &exact) == 2,
	   "munmap() takes it away and splits none");
	map_unmap_margins(&m);
	OK(mappings(&was, &exact) == 0 && !m.map, "nothing is left");
}

/* Cases ask by the hundred, and what they take must not change the answer. */
TEST(spare)
{
	const uint64_t before = bench_spare_bytes(NULL);
	struct mem_buffer m;

	if (mem_map(&m, 32 * MEM_HUGE_BYTES, MEM_4K))
		return;
	mem_touch(&m);
	OK(before && bench_spare_bytes(NULL) == before,
	   "what may be taken is read once");
	mem_unmap(&m);
}

/* The least ticks of loads from all lines of a chain, thrown out before or not.
 */
static uint64_t least_ticks(const struct chase *chase,
			    const struct mem_buffer *m, bool flush)
{
	uint64_t least = UINT64_MAX, ticks;

	for (int i = 0; i < 200; i++) {
		if (flush)
			mem_flush(m->base, m->bytes);
		TIMER_INTERVAL(TIMER_CLOCK, ticks,
			       chase_run(chase->entry[0],
					 chase->lines / CHASE_UNROLL));
		least = ticks < least ? ticks : least;
	}
	return least;
}

TEST(flushed)
{
	struct mem_buffer m;
	struct chase chase;

	if (ARCH_NO_FLUSH || mem_map(&m, (size_t)16 * CHASE_PAGE, MEM_4K))
		return;
	mem_touch(&m);
	OK(!chase_link_window(&chase, m.base, m.bytes, 0, 1), "linked");
	OK(least_ticks(&chase, &m, true) > 2 * least_ticks(&chase, &m, false),
	   "what was thrown out comes from memory again");
	mem_unmap(&m);
}

TEST(each_size)
{
	calls(bench_page_bytes());
	calls(MEM_HUGE_BYTES + bench_page_bytes());
	calls(2 * MEM_HUGE_BYTES);
}
