/* SPDX-License-Identifier: MIT */
/* Control groups, and a namespace of processes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deadline.h"
#include "err.h"
#include "groups.h"
#include "guard.h"
#include "layer.h"
#include "sysfile.h"

static char outside[64]; /* the PID namespace before */

static void read_space(char id[64])
{
	const ssize_t len = readlink("/proc/self/ns/pid", id, 63);

	id[len < 0 ? 0 : len] = '\0';
}

/* Its first process stays to reap; the next goes on. */
int pidns_apply(const struct layer *l, long n)
{
	int err;

	read_space(outside);
	if (unshare(CLONE_NEWPID | CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	err = stay(NULL);
	if (!err && mount("proc", "/proc", "proc",
			  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		err = -errno;
	return err ? err : stay(NULL);
}

bool pidns_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	char now[64];

	read_space(now);
	snprintf(how, HOW_MAX, "/proc/self/ns: %s was %s", now,
		 outside + strcspn(outside, "["));
	return now[0] && strcmp(now, outside) != 0;
}

/* Groups are noted before they are made. */
#define NAME	    GUARD_CGROUP "under-"
#define GROUPS_MOST 32 /* layers[] says so */

static int record = -1;

static void leave_groups(void)
{
	char stuck[PATH_MAX];

	guard_sweep(record, stuck, sizeof(stuck));
	if (stuck[0])
		warn("cannot remove %s", stuck);
	guard_close(record);
}

/* Of what a period is, 100 ms, a thousand times as much. */
#define FAR_AWAY "100000000"

static char limit[PATH_MAX + 32]; /* the file that has it */

/* Either version's file of the group @path. */
static void set_limit(const char *path)
{
	static const char *const files[] = { "cpu.max", "cpu.cfs_quota_us" };

	for (size_t i = 0; i < 2 && !limit[0]; i++) {
		snprintf(limit, sizeof(limit), "%s/%s", path, files[i]);
		if (sysfile_write(FAR_AWAY, "%s", limit))
			limit[0] = '\0';
	}
}

static bool has_limit(char how[HOW_MAX])
{
	char text[64];

	sysfile_line(text, sizeof(text), "%s", limit);
	snprintf(how, HOW_MAX, "%.150s: %s", limit, text);
	return !strncmp(text, FAR_AWAY, strlen(FAR_AWAY));
}

/* Groups one in the other, in one hierarchy. */
struct nest {
	char top[PATH_MAX / 2]; /* which they are in; "": there is none */
	bool v2;
	char *path[GROUPS_MOST];
};

/* The innermost group that this process is in and may make others in. */
static void take_top(void *arg, const char *dir, bool is_v2)
{
	struct nest *nest = arg;
	char procs[PATH_MAX];

	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	if (nest->top[0] || access(procs, W_OK) ||
	    strlen(dir) >= sizeof(nest->top))
		return;
	memcpy(nest->top, dir, strlen(dir) + 1);
	nest->v2 = is_v2;
}

/* Note @n of them, the innermost first, for a group with another in it cannot
 * be removed. */
static int nest_note(struct nest *nest, long n)
{
	const char *in = nest->top;
	int err = 0;

	for (long i = 0; i < n; in = nest->path[i++])
		if (asprintf(&nest->path[i], "%s/" NAME "%d-%lld", in,
			     (int)getpid(),
			     (long long)clock_now_ns(CLOCK_MONOTONIC)) < 0)
			return -ENOMEM;
	while (n-- > 0 && !err)
		err = strlen(nest->path[n]) < PATH_MAX
			      ? guard_add(record, "cgroup", nest->path[n])
			      : -ENAMETOOLONG;
	return err;
}

static int nest_join(const struct nest *nest, long n)
{
	for (long i = 0; i < n; i++) {
		if (mkdir(nest->path[i], 0755))
			return -errno;
		/* Where the groups above have them: version 2. */
		if (nest->v2 && i + 1 < n) {
			sysfile_write("+memory", "%s/cgroup.subtree_control",
				      nest->path[i]);
			sysfile_write("+cpu", "%s/cgroup.subtree_control",
				      nest->path[i]);
		}
	}
	return sysfile_write("0", "%s/cgroup.procs", nest->path[n - 1]);
}

int cgroup_apply(const struct layer *l, long n)
{
	static struct nest nests[2];
	size_t made;
	int err = 0;

	groups_visit("", "memory", take_top, &nests[0]);
	made = nests[0].top[0] ? 1 : 0;
	groups_visit("", "cpu", take_top, &nests[made]);
	/* One hierarchy may have both. */
	made += nests[made].top[0] &&
		(!made || strcmp(nests[0].top, nests[1].top) != 0);
	if (!made)
		return -EACCES;
	record = guard_open();
	if (record < 0)
		return record;
	/* Not to the command: who holds it keeps it from being swept. */
	fcntl(record, F_SETFD, FD_CLOEXEC);
	for (size_t i = 0; i < made && !err; i++)
		err = nest_note(&nests[i], n);
	if (!err)
		err = stay(leave_groups);
	for (size_t i = 0; i < made && !err; i++) {
		err = nest_join(&nests[i], n);
		if (!err && l->flag == CGROUP_CPU_MAX)
			set_limit(nests[i].path[n - 1]);
	}
	return !err && l->flag == CGROUP_CPU_MAX && !limit[0] ? -EOPNOTSUPP
							      : err;
}

bool cgroup_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	char *text = sysfile_text("/proc/self/cgroup"), *rest = text, *line;
	bool seen = false;

	snprintf(how, HOW_MAX, "/proc/self/cgroup: no group of ours");
	while ((line = strsep(&rest, "\n"))) {
		long depth = 0;

		for (const char *at = line; (at = strstr(at, "/" NAME)); at++)
			depth++;
		if (depth)
			snprintf(how, HOW_MAX, "/proc/self/cgroup: %.200s",
				 line);
		seen = seen || depth == n;
	}
	free(text);
	return seen && (l->flag != CGROUP_CPU_MAX || has_limit(how));
}
