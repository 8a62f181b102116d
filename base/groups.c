/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Whether @list, "cpuacct,cpu", has @name: the order differs by system. */
static bool has(const char *list, const char *name)
{
	const size_t n = strlen(name);

	for (;;) {
		if (!strncmp(list, name, n) && (list[n] == ',' || !list[n]))
			return true;
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
}

/* The group at @mount/@path and all above it. */
static void upwards(const char *mount, const char *path, bool is_v2,
		    groups_fn *visit, void *arg)
{
	char dir[PATH_MAX], *top = dir + strlen(mount), *slash;

	if (!strcmp(path, "/"))
		path = "";
	if ((size_t)snprintf(dir, sizeof(dir), "%s%s", mount, path) >=
	    sizeof(dir))
		return;
	for (;;) {
		visit(arg, dir, is_v2);
		slash = strrchr(top, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

void groups_visit(const char *root, const char *controller, groups_fn *visit,
		  void *arg)
{
	char line[PATH_MAX], mount[PATH_MAX];
	FILE *f;

	snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
	f = fopen(line, "re");
	if (!f)
		return;
	/* "0::/path" is version 2, "4:cpu,cpuacct:/path" version 1. */
	while (fgets(line, sizeof(line), f)) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(++list, ':') : NULL;
		bool is_v2;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		is_v2 = !*list;
		if (!is_v2 && !has(list, controller))
			continue;
		snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s%s", root,
			 is_v2 ? "" : "/", is_v2 ? "" : controller);
		upwards(mount, path, is_v2, visit, arg);
	}
	fclose(f);
}
