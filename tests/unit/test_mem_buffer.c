/* SPDX-License-Identifier: MIT */
/* A buffer is a mapping of exactly its size: no call on all of it splits one.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "../../bench/memory/lib/mem_buffer.h"

#include "tap.h"

/* How many mappings the process has; *@exact: whether one is just @m. */
static int mappings(const struct mem_buffer *m, bool *exact)
{
	const unsigned long base = (unsigned long)(uintptr_t)m->base;
	char line[512], access[5];
	unsigned long from, to;
	int n = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	*exact = false;
	for (; f && fgets(line, sizeof(line), f); n++)
		if (sscanf(line, "%lx-%lx %4s", &from, &to, access) == 3)
			*exact |= from == base && to == base + m->bytes &&
				  access[0] == 'r';
	if (f)
		fclose(f);
	return n;
}

static void calls(size_t bytes)
{
	struct mem_buffer m = { 0 };
	bool exact;
	int n;

	mappings(&m, &exact); /* stdio's own buffer */
	OK(mem_map(&m, bytes, MEM_4K) == 0, "mapped");
	n = mappings(&m, &exact);
	OK(exact, "a mapping of exactly these");
	OK((uintptr_t)m.base % MEM_HUGE_BYTES == 0, "at a huge page's begin");
	mem_store_each(&m);
	OK(mem_resident(&m) == (int64_t)bytes, "all of it is there");
	OK(!mprotect(m.base, bytes, PROT_READ) && mappings(&m, &exact) == n &&
		   exact,
	   "mprotect() splits none");
	OK(!munmap(m.base, bytes) && mappings(&m, &exact) == n - 1,
	   "munmap() takes it away and splits none");
	mem_unmap_margins(&m);
	OK(mappings(&m, &exact) == n - 3 && !m.map, "nothing is left");
}

int main(void)
{
	calls(bench_page_bytes());
	calls(MEM_HUGE_BYTES + bench_page_bytes());
	calls(2 * MEM_HUGE_BYTES);
	return tap_done();
}
