/* SPDX-License-Identifier: MIT */
#include "box_places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "groups.h"
#include "guard.h"
#include "proc_copy.h"

/* Directories, the program and a file of one page for the overlay. */
int box_places(struct bench *b, struct box *x)
{
	static const char *const names[] = { "lower", "lower/proc", "lower/dev",
					     "upper", "work",	    "merged" };
	static const char page[4096] = "x";
	char path[PATH_MAX + 16];
	int fd, err;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", x->dir, names[i]);
		if (mkdir(path, 0755))
			return bench_fail(b, errno, "make %s", path);
	}
	snprintf(path, sizeof(path), "%s/lower/file", x->dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return bench_fail(b, errno, "write %s", path);
	close(fd);
	snprintf(path, sizeof(path), "%s/lower/true", x->dir);
	err = proc_copy_program("oscost-true", path);
	return err ? bench_skip(b, "oscost-true cannot be put at %s: %s", path,
				strerror(-err))
		   : 0;
}

struct place {
	char dir[PATH_MAX];
	bool v2;
};

/* The innermost group in which this process may make others. */
static void take_place(void *arg, const char *dir, bool is_v2)
{
	struct place *place = arg;

	if (place->dir[0] || access(dir, W_OK))
		return;
	snprintf(place->dir, sizeof(place->dir), "%s", dir);
	place->v2 = is_v2;
}

void box_choose_group(struct bench *b, struct box *x)
{
	struct place place = { 0 };

	/* Of version 2 if there is one, also beside one with controllers. */
	groups_visit("", "", take_place, &place);
	groups_visit("", "memory", take_place, &place);
	if (!place.dir[0] || strlen(place.dir) > PATH_MAX - 64)
		return;
	snprintf(x->group, sizeof(x->group), "%.*s/" GUARD_CGROUP "box-%016llx",
		 PATH_MAX - 64, place.dir, (unsigned long long)bench_random(b));
	x->v2 = place.v2;
	bench_guard(b, "cgroup", x->group);
}
