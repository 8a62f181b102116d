/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "groups.h"

/* cgroup v1 writes "no limit" as the greatest number of whole pages. */
#define V1_UNLIMITED ((uint64_t)1 << 60)

uint64_t mem_meminfo_field(FILE *f, const char *field)
{
	char line[256];
	size_t len = strlen(field);
	uint64_t kib;

	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, field, len) && line[len] == ':' &&
		    sscanf(line + len + 1, "%" SCNu64, &kib) == 1)
			return kib << 10;
	return 0;
}

uint64_t mem_available_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	struct sysinfo info;
	uint64_t bytes;

	/* Without /proc what is free is the least that can be had. */
	if (!f)
		return sysinfo(&info) ? 0
				      : (uint64_t)info.freeram * info.mem_unit;
	bytes = mem_meminfo_field(f, "MemAvailable");
	fclose(f);
	return bytes;
}

/* A file with one number; "max", or no such file, is "no limit". */
static uint64_t read_number(const char *dir, const char *file)
{
	char path[PATH_MAX];
	uint64_t number;
	FILE *f;
	int got;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, file) >=
	    sizeof(path))
		return UINT64_MAX;
	f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	got = fscanf(f, "%" SCNu64, &number);
	fclose(f);
	return got == 1 && number < V1_UNLIMITED ? number : UINT64_MAX;
}

static void take_least(void *arg, const char *dir, bool is_v2)
{
	uint64_t max, used, left, *least = arg;

	max = read_number(dir, is_v2 ? "memory.max" : "memory.limit_in_bytes");
	used = read_number(dir,
			   is_v2 ? "memory.current" : "memory.usage_in_bytes");
	if (max == UINT64_MAX || used == UINT64_MAX)
		return;
	left = max > used ? max - used : 0;
	if (left < *least)
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
