/* SPDX-License-Identifier: MIT */
#include "mem_group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "groups.h"
#include "guard.h"
#include "sysfile.h"

static const char *limit_name(bool v2)
{
	return v2 ? "memory.max" : "memory.limit_in_bytes";
}

/* Try it below @parent. */
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
	/* v2: a group with no memory controller; that is no lack of ours. */
	if (err == -ENOENT)
		err = -ENOTSUP;
	if (err)
		mem_group_close(g);
	return err;
}

static void take_least(void *arg, const char *dir, bool is_v2)
{
	const int64_t limit =
		sysfile_number(-1, NULL, "%s/%s", dir, limit_name(is_v2));
	int64_t *least = arg;

	/* "max" is no number: no limit; v1 has a very large one. */
	if (limit >= 0 && limit < *least)
		*least = limit;
}

int64_t mem_group_bound(void)
{
	int64_t least = INT64_MAX;

	groups_visit("", "memory", take_least, &least);
	return least > INT64_MAX / 2 ? INT64_MAX : least;
}

struct attempt {
	struct bench *b;
	struct mem_group *g;
	uint64_t limit_bytes;
	int err; /* of the first that failed */
};

/* A v2 group that has processes cannot have limited groups below it, but those
 * above it may. */
static void try_below(void *arg, const char *dir, bool is_v2)
{
	struct attempt *t = arg;
	char procs[PATH_MAX + 16];
	int err;

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	if (t->g->path[0] || access(procs, F_OK))
		return;
	t->g->v2 = is_v2;
	err = make_below(t->b, t->g, dir, t->limit_bytes);
	if (err && !t->err) {
		t->err = err;
		snprintf(t->g->why, sizeof(t->g->why),
			 "cannot make a memory control group (v%d) in %.160s "
			 "or above it: %s",
			 is_v2 ? 2 : 1, dir, strerror(-err));
	}
}

int mem_group_open(struct bench *b, struct mem_group *g, uint64_t limit_bytes)
{
	struct attempt t = { b, g, limit_bytes, 0 };

	g->path[0] = '\0';
	snprintf(g->why, sizeof(g->why),
		 "no memory control groups are mounted here");
	groups_visit("", "memory", try_below, &t);
	return g->path[0] ? 0 : t.err ? t.err : -ENOENT;
}

int mem_group_join(const struct mem_group *g)
{
	return sysfile_write("0", "%s/cgroup.procs", g->path);
}

int64_t mem_group_cached(const struct mem_group *g)
{
	return sysfile_number(-1, g->v2 ? "file" : "cache", "%s/memory.stat",
			      g->path);
}

int64_t mem_group_limit(const struct mem_group *g)
{
	return sysfile_number(-1, NULL, "%s/%s", g->path, limit_name(g->v2));
}

int mem_group_close(struct mem_group *g)
{
	const int err = g->path[0] ? guard_remove_cgroup(g->path) : 0;

	g->path[0] = '\0';
	return err;
}
