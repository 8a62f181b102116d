/* SPDX-License-Identifier: MIT */
/* A buffer is a mapping of exactly its size: no call on all of it splits one.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "../../bench/memory/lib/mem_buffer.h"

#include "tap.h"

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
	OK(mem_resident(&m) == (int64_t)bytes, "all of it is there");
	OK(!mprotect(m.base, bytes, PROT_READ) && mappings(&m, &exact) == 3 &&
		   exact,
	   "mprotect() splits none");
	OK(!munmap(m.base, bytes) && mappings(&m, &exact) == 2,
	   "munmap() takes it away and splits none");
	mem_unmap_margins(&m);
	OK(mappings(&was, &exact) == 0 && !m.map, "nothing is left");
}

/* Cases ask by the hundred, and what they take must not change the answer. */
static void spare(void)
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

int main(void)
{
	spare();
	calls(bench_page_bytes());
	calls(MEM_HUGE_BYTES + bench_page_bytes());
	calls(2 * MEM_HUGE_BYTES);
	return tap_done();
}
