/* SPDX-License-Identifier: MIT */
/* How much memory may be taken without harming the machine: the figures are
 * /proc/meminfo's (the per-node files can show less) and the memory cgroup's,
 * version 1 or 2, of this process and of every group above it. */
#include "mem.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "alloc.h"
#include "bench.h"
#include "groups.h"
#include "process_pages.h"
#include "sysfile.h"

/* cgroup v1 writes "no limit" as the greatest number of whole pages. */
#define V1_UNLIMITED ((int64_t)1 << 60)

/* The least of the limits, and of what is left below one. */
struct bound {
	int64_t limit, left;
};

static void take_least(void *arg, const char *dir, bool is_v2)
{
	/* "max", or no such file, is no limit. */
	const int64_t limit =
		sysfile_number(-1, NULL, "%s/%s", dir,
			       is_v2 ? "memory.max" : "memory.limit_in_bytes");
	const int64_t used = sysfile_number(-1, NULL, "%s/%s", dir,
					    is_v2 ? "memory.current"
						  : "memory.usage_in_bytes");
	struct bound *least = arg;

	if (limit < 0 || limit >= V1_UNLIMITED)
		return;
	if (limit < least->limit)
		least->limit = limit;
	if (used >= 0 && limit - used < least->left)
		least->left = limit > used ? limit - used : 0;
}

static struct bound bound_of_groups(void)
{
	struct bound least = { INT64_MAX, INT64_MAX };

	groups_visit("", "memory", take_least, &least);
	return least;
}

int64_t mem_group_bound(void)
{
	return bound_of_groups().limit;
}

static uint64_t available_bytes(void)
{
	const int64_t kib = sysfile_number(-1, "MemAvailable", "/proc/meminfo");
	struct sysinfo info;

	if (kib >= 0)
		return (uint64_t)kib << 10;
	/* Without /proc what is free is the least that can be had. */
	return sysinfo(&info) ? 0 : (uint64_t)info.freeram * info.mem_unit;
}

uint64_t bench_spare_bytes(const struct bench *b)
{
	static _Atomic uint64_t bytes;
	uint64_t left, least;

	if (!bytes) {
		left = (uint64_t)bound_of_groups().left;
		least = available_bytes();
		bytes = (left < least ? left : least) / 4;
	}
	return bytes;
}

int64_t mem_huge_in(const void *base, size_t bytes, bool pool)
{
	struct process_pages p;
	const int err = process_pages_at(base, bytes, &p);
	const int64_t sum =
		(int64_t)(p.huge + (pool ? p.pool : 0)) * sysconf(_SC_PAGESIZE);

	/* The mappings may hold more. */
	return err ? err : sum < (int64_t)bytes ? sum : (int64_t)bytes;
}

int64_t mem_resident(void *at, size_t bytes)
{
	const size_t page = bench_page_bytes();
	const size_t pages = (bytes + page - 1) / page;
	unsigned char *in = text_alloc(pages, 1);
	int64_t resident = mincore(at, bytes, in) ? -errno : 0;

	for (size_t i = 0; resident >= 0 && i < pages; i++)
		resident += (in[i] & 1) * (int64_t)page;
	free(in);
	return resident;
}
