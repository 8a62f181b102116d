/* SPDX-License-Identifier: MIT */
#include "mem.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

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
	uint64_t bytes;

	if (!f)
		return 0;
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

/* The group at @root/@path and all above it. */
static uint64_t spare_upwards(const char *root, char *path, const char *limit,
			      const char *usage)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		char dir[PATH_MAX];
		uint64_t max, used;
		char *slash;

		if ((size_t)snprintf(dir, sizeof(dir), "%s%s", root, path) >=
		    sizeof(dir))
			break;
		max = read_number(dir, limit);
		used = read_number(dir, usage);
		if (max != UINT64_MAX && used != UINT64_MAX) {
			uint64_t left = max > used ? max - used : 0;

			if (left < least)
				least = left;
		}
		slash = strrchr(path, '/');
		if (!slash || !path[0])
			break;
		*slash = '\0';
	}
	return least;
}

uint64_t mem_cgroup_spare_bytes(void)
{
	uint64_t least = UINT64_MAX;
	char line[PATH_MAX];
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (!f)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;
		uint64_t spare;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		controllers++;
		if (!*controllers)
			spare = spare_upwards("/sys/fs/cgroup", path,
					      "memory.max", "memory.current");
		else if (strstr(controllers, "memory"))
			spare = spare_upwards("/sys/fs/cgroup/memory", path,
					      "memory.limit_in_bytes",
					      "memory.usage_in_bytes");
		else
			continue;
		if (spare < least)
			least = spare;
	}
	fclose(f);
	return least;
}

uint64_t mem_spare_bytes(void)
{
	uint64_t available = mem_available_bytes();
	uint64_t cgroup = mem_cgroup_spare_bytes();

	return (available < cgroup ? available : cgroup) / 4;
}
