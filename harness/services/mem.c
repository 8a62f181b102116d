/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include <stddef.h>
#include <sys/sysinfo.h>

#include "groups.h"
#include "sysfile.h"

/* cgroup v1 writes "no limit" as the greatest number of whole pages. */
#define V1_UNLIMITED ((int64_t)1 << 60)

uint64_t mem_available_bytes(void)
{
	const int64_t kib = sysfile_number(-1, "MemAvailable", "/proc/meminfo");
	struct sysinfo info;

	if (kib >= 0)
		return (uint64_t)kib << 10;
	/* Without /proc what is free is the least that can be had. */
	return sysinfo(&info) ? 0 : (uint64_t)info.freeram * info.mem_unit;
}

static void take_least(void *arg, const char *dir, bool is_v2)
{
	/* "max", or no such file, is no limit. */
	const int64_t max =
		sysfile_number(-1, NULL, "%s/%s", dir,
			       is_v2 ? "memory.max" : "memory.limit_in_bytes");
	const int64_t used = sysfile_number(-1, NULL, "%s/%s", dir,
					    is_v2 ? "memory.current"
						  : "memory.usage_in_bytes");
	const uint64_t left = max > used ? (uint64_t)(max - used) : 0;
	uint64_t *least = arg;

	if (max >= 0 && max < V1_UNLIMITED && used >= 0 && left < *least)
		*least = left;
}

uint64_t mem_cgroup_spare_bytes(void)
{
	uint64_t least = UINT64_MAX;

	groups_visit("", "memory", take_least, &least);
	return least;
}

uint64_t mem_spare_bytes(void)
{
	uint64_t available = mem_available_bytes();
	uint64_t cgroup = mem_cgroup_spare_bytes();

	return (available < cgroup ? available : cgroup) / 4;
}
