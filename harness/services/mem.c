/* SPDX-License-Identifier: MIT */
/* How much memory may be taken without harming the machine: the figures are
 * /proc/meminfo's (the per-node files can show less) and the memory cgroup's,
 * version 1 or 2, of this process and of every group above it. */
#include "mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "bench.h"
#include "groups.h"
#include "guard.h"
#include "sysfile.h"

/* cgroup v1 writes "no limit" as the greatest number of whole pages. */
#define V1_UNLIMITED ((int64_t)1 << 60)

static const char *limit_name(bool v2)
{
	return v2 ? "memory.max" : "memory.limit_in_bytes";
}

/* The least of the limits, and of what is left below one. */
struct bound {
	int64_t limit, left;
};

static void take_least(void *arg, const char *dir, bool is_v2)
{
	/* "max", or no such file, is no limit. */
	const int64_t limit =
		sysfile_number(-1, NULL, "%s/%s", dir, limit_name(is_v2));
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

/* Adds what one line of an smaps entry says of huge pages, bytes. */
static int64_t huge_of_line(const char *line, int64_t area, bool pool)
{
	const int64_t kib =
		field_number(field_behind(line, "AnonHugePages"), 0);
	const int64_t page =
		pool ? field_number(field_behind(line, "KernelPageSize"), 0)
		     : 0;

	return (kib << 10) + (page << 10 > sysconf(_SC_PAGESIZE) ? area : 0);
}

int64_t mem_huge_in(const void *base, size_t bytes, bool pool)
{
	const uintptr_t lo = (uintptr_t)base, hi = lo + bytes;
	char *text = sysfile_text("/proc/self/smaps"), *rest = text, *line;
	int64_t sum = text ? 0 : -errno, area = 0;

	while ((line = strsep(&rest, "\n"))) {
		char *end;
		const uintptr_t from = strtoull(line, &end, 16);

		if (end != line && *end == '-') { /* the head of an entry */
			const uintptr_t to = strtoull(end + 1, NULL, 16);

			area = from < hi && to > lo ? (int64_t)(to - from) : 0;
		} else if (area) {
			sum += huge_of_line(line, area, pool);
		}
	}
	free(text);
	/* The entry may hold more. */
	return sum < (int64_t)bytes ? sum : (int64_t)bytes;
}

/* Try it below @parent.  Return: 0 or -errno. */
static int make_below(struct bench *b, struct mem_group *g, const char *parent,
		      uint64_t limit_bytes)
{
	char limit[32];
	int err;

	if ((size_t)snprintf(g->path, sizeof(g->path),
			     "%s/" GUARD_CGROUP "%016" PRIx64, parent,
			     bench_random(b)) >= sizeof(g->path)) {
		g->path[0] = '\0';
		return -ENAMETOOLONG;
	}
	/* Its name is random, so it cannot be another's; noted before it is
	 * there, for we may be killed between the two. */
	bench_guard(b, "cgroup", g->path);
	err = mkdir(g->path, 0755) ? -errno : 0;
	snprintf(limit, sizeof(limit), "%" PRIu64, limit_bytes);
	if (!err)
		err = sysfile_write(limit, "%s/%s", g->path, limit_name(g->v2));
	if (err)
		mem_group_close(g);
	/* v2: a group with no memory controller; that is no lack of ours. */
	return err == -ENOENT ? -ENOTSUP : err;
}

struct attempt {
	struct bench *b;
	struct mem_group *g;
	uint64_t limit_bytes;
	char why[256]; /* the first failed */
};

/* A v2 group that has processes cannot have limited groups below it, but those
 * above it may.  The first one is our own. */
static void try_below(void *arg, const char *dir, bool is_v2)
{
	struct attempt *t = arg;
	struct mem_group *g = t->g;
	int err;

	if (g->path[0] || access(dir, F_OK))
		return;
	if (!g->home[0])
		snprintf(g->home, sizeof(g->home), "%s", dir);
	g->v2 = is_v2;
	err = make_below(t->b, g, dir, t->limit_bytes);
	if (err && !t->why[0])
		snprintf(t->why, sizeof(t->why),
			 "cannot make a memory control group (v%d) in %.160s "
			 "or above it: %s",
			 is_v2 ? 2 : 1, dir, strerror(-err));
}

int mem_group_open(struct bench *b, struct mem_group *g, uint64_t limit_bytes)
{
	struct attempt t = { b, g, limit_bytes, "" };

	groups_visit("", "memory", try_below, &t);
	return g->path[0] ? 0
			  : bench_skip(b, "%s",
				       t.why[0] ? t.why
						: "no memory control groups "
						  "are mounted here");
}

int mem_group_enter(struct bench *b, struct mem_group *g)
{
	const int err = sysfile_write("0", "%s/cgroup.procs", g->path);

	g->inside = !err;
	if (err == -EACCES || err == -EPERM || err == -ENOTSUP)
		return bench_skip(b, "put a process into %s: %s", g->path,
				  strerror(-err));
	return err ? bench_fail(b, -err, "put a process into %s", g->path) : 0;
}

int64_t mem_group_cached(const struct mem_group *g, int64_t *limit)
{
	*limit = sysfile_number(-1, NULL, "%s/%s", g->path, limit_name(g->v2));
	return sysfile_number(-1, g->v2 ? "file" : "cache", "%s/memory.stat",
			      g->path);
}

void mem_group_close(struct mem_group *g)
{
	/* Removing a group kills the processes in it: leave it first. */
	if (g->path[0] &&
	    (!g->inside || !sysfile_write("0", "%s/cgroup.procs", g->home)))
		guard_remove_cgroup(g->path);
	g->path[0] = '\0';
	g->inside = false;
}
