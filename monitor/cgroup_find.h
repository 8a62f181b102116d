/* SPDX-License-Identifier: MIT */
#ifndef CGROUP_FIND_H
#define CGROUP_FIND_H

#include <limits.h>
#include <stdbool.h>

/* Where a cgroup's figures are. */
struct cgroup_place {
	char usage[PATH_MAX]; /* cpu.stat, or cpuacct.usage */
	bool version2;	      /* usage is cpu.stat, in us */
	char perf[PATH_MAX];  /* directory for perf_event; "" if none */
};

/**
 * cgroup_find() - look where cgroups are mounted.
 * @mounts: text of /proc/self/mountinfo.
 * @name: a directory, or the path of a group below a mount ("/" is the root).
 *
 * Return: 0, or -ENOENT (no such group, or it has no processor time).
 */
int cgroup_find(struct cgroup_place *place, const char *mounts,
		const char *name);

#endif
