/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"

/* Characters that the kernel writes as \040 and the like. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int byte;

	for (const char *at = text; *at; at++)
		if (*at == '\\' && strspn(at + 1, "01234567") >= 3 &&
		    sscanf(at + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			at += 3;
		} else {
			*to++ = *at;
		}
	*to = '\0';
}

/* "36 35 98:0 /root /mount/point options tags - type source options" */
static bool parse(char *line, struct mount *m)
{
	char *tail = strstr(line, " - ");

	if (!tail ||
	    sscanf(line, "%d %*d %u:%u", &m->id, &m->major, &m->minor) != 3)
		return false;
	*tail = '\0';
	tail += 3;
	for (int i = 0; i < 3; i++)
		strsep(&line, " ");
	m->root = strsep(&line, " ");
	m->point = strsep(&line, " ");
	m->type = strsep(&tail, " ");
	m->source = strsep(&tail, " ");
	m->options = tail;
	if (!m->point || !m->options)
		return false;
	unescape(m->root);
	unescape(m->point);
	return true;
}

bool mount_next(char **rest, struct mount *m)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (parse(line, m))
			return true;
	return false;
}

/* The group at @mount/@path and all above it. */
static void upwards(const char *root, const char *mount, const char *path,
		    bool is_v2, groups_fn *visit, void *arg)
{
	char dir[PATH_MAX], *top = dir + strlen(root) + strlen(mount), *slash;

	if (!strcmp(path, "/"))
		path = "";
	if ((size_t)snprintf(dir, sizeof(dir), "%s%s%s", root, mount, path) >=
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

/* The path of this process's group to @path: "0::/path" is version 2,
 * "4:cpu,cpuacct:/path" version 1. */
static bool own_path(const char *root, const char *controller, char *path)
{
	char *text = sysfile_text("%s/proc/self/cgroup", root), *rest = text;
	char *line, *list;
	bool found = false;

	while (!found && (line = strsep(&rest, "\n"))) {
		strsep(&line, ":");
		list = strsep(&line, ":");
		found = line && (*controller ? field_has_word(list, controller)
					     : !*list);
		if (found)
			snprintf(path, PATH_MAX, "%s", line);
	}
	free(text);
	return found;
}

void groups_visit(const char *root, const char *controller, groups_fn *visit,
		  void *arg)
{
	char *text = sysfile_text("%s/proc/self/mountinfo", root), *rest = text;
	struct mount m, at = { .type = "" };
	char path[PATH_MAX];
	bool is_v2;

	/* One hierarchy has a controller: one of version 1, or else the only
	 * one of version 2. */
	while (mount_next(&rest, &m))
		if (!strcmp(m.type, "cgroup2")
			    ? !*at.type
			    : !strcmp(m.type, "cgroup") &&
				      field_has_word(m.options, controller) &&
				      strcmp(at.type, "cgroup") != 0)
			at = m;
	is_v2 = !strcmp(at.type, "cgroup2");
	if (*at.type && own_path(root, is_v2 ? "" : controller, path)) {
		/* A container may see no more than its own part. */
		const size_t n = strcmp(at.root, "/") ? strlen(at.root) : 0;

		if (!strncmp(path, at.root, n) && (!path[n] || path[n] == '/'))
			upwards(root, at.point, path + n, is_v2, visit, arg);
	}
	free(text);
}
