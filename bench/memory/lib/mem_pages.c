/* SPDX-License-Identifier: MIT */
#include "mem_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"
#include "sysfile.h"

void mem_flush(const void *base, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += MEM_LINE)
		ARCH_FLUSH((const char *)base + at);
	ARCH_FLUSHED();
}

uint64_t mem_huge_pool(void)
{
	return (uint64_t)(sysfile_number(0, "HugePages_Free", "/proc/meminfo") *
			  sysfile_number(0, "Hugepagesize", "/proc/meminfo"))
	       << 10;
}

int64_t mem_node_bytes(const struct mem_buffer *m, int node)
{
	enum { AT_ONCE = 256 };
	const size_t page = bench_page_bytes(), pages = m->bytes / page;
	int64_t there = 0;

	for (size_t i = 0; i < pages; i += AT_ONCE) {
		const size_t n = pages - i < AT_ONCE ? pages - i : AT_ONCE;
		void *at[AT_ONCE];
		int where[AT_ONCE];

		for (size_t k = 0; k < n; k++)
			at[k] = m->base + (i + k) * page;
		if (syscall(SYS_move_pages, 0, n, at, NULL, where, 0))
			return -errno;
		for (size_t k = 0; k < n; k++)
			there += where[k] == node;
	}
	return there * (int64_t)page;
}

int64_t mem_resident(const struct mem_buffer *m)
{
	const size_t page = bench_page_bytes();
	const size_t pages = (m->bytes + page - 1) / page;
	unsigned char *in = malloc(pages);
	int64_t resident = 0;

	if (!in)
		return -ENOMEM;
	if (mincore(m->base, m->bytes, in))
		resident = -errno;
	for (size_t i = 0; resident >= 0 && i < pages; i++)
		resident += (in[i] & 1) * (int64_t)page;
	free(in);
	return resident;
}
