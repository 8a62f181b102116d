// SPDX-License-Identifier: MIT
#include "cgroup_find.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text_file.h"

/* One line of mountinfo that is about cgroups. */
struct mount {
	char at[PATH_MAX], type[32], options[512];
};

/* "36 35 98:0 /root /mount/point options tags - type source options" */
static bool read_mount(const char *line, struct mount *mount)
{
	const char *dash = strstr(line, " - ");
	const char *end = strchr(line, '\n');

	return dash && (!end || dash < end) &&
	       sscanf(line, "%*s %*s %*s %*s %4095s", mount->at) == 1 &&
	       sscanf(dash + 3, "%31s %*s %511s", mount->type,
		      mount->options) == 2;
}

static bool has_controller(const struct mount *mount, const char *name)
{
	const size_t n = strlen(name);
	const char *at = mount->options;

	while ((at = strstr(at, name))) {
		if ((at == mount->options || at[-1] == ',') &&
		    (at[n] == ',' || !at[n]))
			return true;
		at += n;
	}
	return false;
}

/* The part of @name below the mount; a name that is no directory of another
 * hierarchy is below each of them. */
static const char *below(const struct mount *mount, const char *name,
			 bool is_dir)
{
	const size_t n = strlen(mount->at);

	if (!is_dir)
		return name;
	return !strncmp(name, mount->at, n) && (!name[n] || name[n] == '/')
		       ? name + n
		       : NULL;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool has_usage(const char *path)
{
	struct text_file file = { 0 };
	uint64_t value;
	const bool has = text_file_read(&file, path) > 0 &&
			 !text_file_number(&file, "usage_usec", &value);

	text_file_free(&file);
	return has;
}

static void look(struct cgroup_place *place, const struct mount *mount,
		 const char *part)
{
	const bool version2 = !strcmp(mount->type, "cgroup2");
	char dir[PATH_MAX], file[PATH_MAX];
	int n;

	if (snprintf(dir, sizeof(dir), "%s/%s", mount->at, part) >=
		    (int)sizeof(dir) ||
	    !is_directory(dir))
		return;
	if ((version2 || has_controller(mount, "perf_event")) && !*place->perf)
		memcpy(place->perf, dir, sizeof(dir));
	if (!version2 && !has_controller(mount, "cpuacct"))
		return;
	n = snprintf(file, sizeof(file), "%s/%s", dir,
		     version2 ? "cpu.stat" : "cpuacct.usage");
	if (n >= (int)sizeof(file) || *place->usage ||
	    !(version2 ? has_usage(file) : !access(file, R_OK)))
		return;
	memcpy(place->usage, file, sizeof(file));
	place->version2 = version2;
}

/* Twice: a directory says by itself in which hierarchy it is, but its counters
 * may be in another, below the same name. */
int cgroup_find(struct cgroup_place *place, const char *mounts,
		const char *name)
{
	const char *part = NULL;
	const bool is_dir = is_directory(name) && strcmp(name, "/") != 0;

	memset(place, 0, sizeof(*place));
	for (int turn = 0; turn < 2; turn++) {
		for (const char *line = mounts; line && *line;) {
			const char *next = strchr(line, '\n');
			struct mount mount;

			if (read_mount(line, &mount) &&
			    !strncmp(mount.type, "cgroup", 6)) {
				const char *here =
					turn ? part
					     : below(&mount, name, is_dir);

				if (here) {
					look(place, &mount, here);
					part = here;
				}
			}
			line = next ? next + 1 : NULL;
		}
		if (!part)
			break;
	}
	return *place->usage ? 0 : -ENOENT;
}
