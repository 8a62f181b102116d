/* SPDX-License-Identifier: MIT */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>

/* A line of /proc/self/mountinfo; the texts lie in it. */
struct mount {
	int id;
	unsigned int major, minor;
	char *root, *point, *type, *source, *options; /* of the super block */
};

/* mount_next() - the next line of text @rest that is one; it changes the text.
 * Return: false at its end. */
bool mount_next(char **rest, struct mount *m);

/* One control group: its directory, and whether its files are version 2's. */
typedef void groups_fn(void *arg, const char *dir, bool is_v2);

/* groups_visit() - call @visit for the group of this process that has
 * @controller ("cpu", "memory"; "": that of version 2) and for all above it:
 * each of them may have a limit, and only its own files tell.  cgroup v1 and
 * v2, where mountinfo says.  @root: "", or a directory with sys/ and proc/ in
 * tests. */
void groups_visit(const char *root, const char *controller, groups_fn *visit,
		  void *arg);

#endif
