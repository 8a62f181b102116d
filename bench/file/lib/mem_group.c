/* SPDX-License-Identifier: MIT */
#include "mem_group.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "guard.h"

#define LINE 8192

/* Whether @word is one of the comma-separated @list. */
static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, word, len) &&
		    (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}

/* Our path in the hierarchy: lines "8:memory:/path" (v1), "0::/path" (v2).
 * Where v1 has the memory controller v2 has not. */
static int find_path(FILE *cgroup, char *path, size_t size, bool *v2)
{
	char *line = malloc(LINE);
	int err = line ? -ENOENT : -ENOMEM;

	while (line && fgets(line, LINE, cgroup)) {
		char *names = strchr(line, ':');
		char *rest = names ? strchr(names + 1, ':') : NULL;
		bool is_v2;

		if (!rest)
			continue;
		*rest++ = '\0';
		names++;
		rest[strcspn(rest, "\n")] = '\0';
		is_v2 = !*names;
		if ((!is_v2 && !has_word(names, "memory")) ||
		    (is_v2 && !err)) /* v1 was there before */
			continue;
		*v2 = is_v2;
		err = (size_t)snprintf(path, size, "%s", rest) < size
			      ? 0
			      : -ENAMETOOLONG;
	}
	free(line);
	return err;
}

/* Where that hierarchy is mounted, and which part of it. */
static int find_mount(FILE *mountinfo, bool v2, char *root, char *top)
{
	char *line = malloc(LINE);
	int err = line ? -ENOENT : -ENOMEM;

	while (err == -ENOENT && fgets(line, LINE, mountinfo)) {
		/* Optional fields end with a dash that stands alone. */
		const char *rest = strstr(line, " - ");
		char type[32], options[512];

		if (!rest ||
		    sscanf(rest, " - %31s %*s %511s", type, options) != 2 ||
		    sscanf(line, "%*d %*d %*s %4095s %4095s", root, top) != 2)
			continue;
		if (v2 ? !strcmp(type, "cgroup2")
		       : !strcmp(type, "cgroup") && has_word(options, "memory"))
			err = 0;
	}
	free(line);
	return err;
}

int mem_group_place(struct mem_group_place *p, FILE *mountinfo, FILE *cgroup)
{
	char path[PATH_MAX], root[PATH_MAX], *below = path;
	int err = find_path(cgroup, path, sizeof(path), &p->v2);

	if (!err)
		err = find_mount(mountinfo, p->v2, root, p->top);
	if (err)
		return err;
	/* A container may see a part of the hierarchy only. */
	if (strcmp(root, "/") != 0) {
		const size_t len = strlen(root);

		below = strncmp(path, root, len) ? path + strlen(path)
						 : path + len;
	}
	if (!strncmp(below, "/..", 3) || !strcmp(below, "/"))
		below = path + strlen(path);
	return (size_t)snprintf(p->path, sizeof(p->path), "%s%s", p->top,
				below) < sizeof(p->path)
		       ? 0
		       : -ENAMETOOLONG;
}

static int write_text(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The number in a file, or behind @key in one of its lines. */
static int64_t read_number(const char *dir, const char *name, const char *key)
{
	char path[PATH_MAX + 64], line[256];
	const size_t len = key ? strlen(key) : 0;
	int64_t number = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (number == -ENOENT && fgets(line, sizeof(line), f))
		if ((!key || (!strncmp(line, key, len) && line[len] == ' ')) &&
		    sscanf(line + len, "%" SCNd64, &number) != 1)
			number = -EINVAL;
	fclose(f);
	return number;
}

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
		err = write_text(g->path, limit_name(g->v2), limit);
	/* v2: a group with no memory controller; that is no lack of ours. */
	if (err == -ENOENT)
		err = -ENOTSUP;
	if (err)
		mem_group_close(g);
	return err;
}

static int place_here(struct mem_group_place *p)
{
	FILE *mountinfo = fopen("/proc/self/mountinfo", "re");
	FILE *cgroup = fopen("/proc/self/cgroup", "re");
	int err = mountinfo && cgroup ? mem_group_place(p, mountinfo, cgroup)
				      : -ENOENT;

	if (mountinfo)
		fclose(mountinfo);
	if (cgroup)
		fclose(cgroup);
	return err;
}

/* To the group above; false at the top. */
static bool go_up(struct mem_group_place *p)
{
	if (strlen(p->path) <= strlen(p->top))
		return false;
	*strrchr(p->path, '/') = '\0';
	return true;
}

int64_t mem_group_bound(void)
{
	struct mem_group_place p;
	int64_t least = INT64_MAX;

	if (place_here(&p))
		return least;
	do {
		const int64_t limit =
			read_number(p.path, limit_name(p.v2), NULL);

		/* "max" is no number: no limit; v1 has a very large one. */
		if (limit >= 0 && limit < least)
			least = limit;
	} while (go_up(&p));
	return least > INT64_MAX / 2 ? INT64_MAX : least;
}

int mem_group_open(struct bench *b, struct mem_group *g, uint64_t limit_bytes)
{
	struct mem_group_place p;
	int err = place_here(&p);
	char first[PATH_MAX];

	if (err) {
		snprintf(g->why, sizeof(g->why),
			 "no memory control groups are mounted here");
		return err;
	}
	g->v2 = p.v2;
	memcpy(first, p.path, sizeof(first));
	/* A v2 group that has processes cannot have limited groups below it,
	 * but those above it may. */
	do {
		const int now = make_below(b, g, p.path, limit_bytes);

		if (!now)
			return 0;
		err = err ? err : now;
	} while (go_up(&p));
	snprintf(g->why, sizeof(g->why),
		 "cannot make a memory control group (v%d) in %.160s or above "
		 "it: %s",
		 p.v2 ? 2 : 1, first, strerror(-err));
	return err;
}

int mem_group_join(const struct mem_group *g)
{
	return write_text(g->path, "cgroup.procs", "0");
}

int64_t mem_group_cached(const struct mem_group *g)
{
	return read_number(g->path, "memory.stat", g->v2 ? "file" : "cache");
}

int64_t mem_group_limit(const struct mem_group *g)
{
	return read_number(g->path, limit_name(g->v2), NULL);
}

int mem_group_close(struct mem_group *g)
{
	const int err = g->path[0] ? guard_remove_cgroup(g->path) : 0;

	g->path[0] = '\0';
	return err;
}
