/* SPDX-License-Identifier: MIT */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>

/* One control group: its directory, and whether its files are version 2's. */
typedef void groups_fn(void *arg, const char *dir, bool is_v2);

/* groups_visit() - call @visit for the group of this process that has
 * @controller ("cpu", "memory"; "": that of version 2) and for all above it:
 * each of them may have a limit, and only its own files tell.  cgroup v1 and
 * v2, where mountinfo says.  @root: "", or a directory with sys/ and proc/ in
 * tests. */
void groups_visit(const char *root, const char *controller, groups_fn *visit,
		  void *arg);

/* groups_has() - whether @list, "rw,cpuacct,cpu", has @name: the order differs
 * by system. */
bool groups_has(const char *list, const char *name);

#endif
