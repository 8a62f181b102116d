/* SPDX-License-Identifier: MIT */
/* Where a memory control group can be made, from invented machines. */
#include <errno.h>
#include <stdio.h>

#include "../../bench/file/lib/mem_group.h"
#include "tap.h"

static int find(struct mem_group_place *p, const char *mountinfo,
		const char *cgroup)
{
	FILE *m = fmemopen((void *)mountinfo, strlen(mountinfo), "r");
	FILE *c = fmemopen((void *)cgroup, strlen(cgroup), "r");
	int err = m && c ? mem_group_place(p, m, c) : -ENOMEM;

	if (m)
		fclose(m);
	if (c)
		fclose(c);
	return err;
}

#define UNIFIED                                                             \
	"30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 " \
	"rw,nsdelegate\n"
#define V1                                                                    \
	"31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n" \
	"32 24 0:28 / /sys/fs/cgroup/memory rw shared:9 master:1 - cgroup "   \
	"cgroup rw,memory\n"                                                  \
	"33 24 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

static void unified(void)
{
	struct mem_group_place p;

	OK(!find(&p, UNIFIED, "0::/user.slice/user-1000.slice/s.scope\n") &&
		   p.v2 && !strcmp(p.top, "/sys/fs/cgroup") &&
		   !strcmp(p.path, "/sys/fs/cgroup/user.slice/user-1000.slice/"
				   "s.scope"),
	   "v2: our group below the mount");
	OK(!find(&p, UNIFIED, "0::/\n") && !strcmp(p.path, p.top),
	   "v2: the root group is the mount itself");
}

static void version_1(void)
{
	struct mem_group_place p;

	OK(!find(&p, V1, "9:cpu,cpuacct:/a\n4:memory:/b/c\n0::/d\n") && !p.v2 &&
		   !strcmp(p.path, "/sys/fs/cgroup/memory/b/c"),
	   "v1: the hierarchy of memory, not another, and not v2");
	OK(!find(&p, V1, "0::/d\n4:hugetlb,memory:/b\n") && !p.v2 &&
		   !strcmp(p.path, "/sys/fs/cgroup/memory/b"),
	   "whatever comes first");
	OK(find(&p, V1, "4:memory2:/b\n") == -ENOENT,
	   "another controller with a similar name is none");
}

static void containers(void)
{
	struct mem_group_place p;

	OK(!find(&p,
		 "32 24 0:28 /docker/42 /sys/fs/cgroup/memory ro - cgroup "
		 "cgroup rw,memory\n",
		 "4:memory:/docker/42/x\n") &&
		   !strcmp(p.path, "/sys/fs/cgroup/memory/x"),
	   "a container sees a part of the hierarchy");
	OK(!find(&p,
		 "32 24 0:28 /docker/42 /sys/fs/cgroup/memory ro - cgroup "
		 "cgroup rw,memory\n",
		 "4:memory:/elsewhere\n") &&
		   !strcmp(p.path, "/sys/fs/cgroup/memory"),
	   "or none of the part that it is in");
	OK(!find(&p, UNIFIED, "0::/../../other\n") && !strcmp(p.path, p.top),
	   "above its name space there is nothing for it");
	OK(find(&p, "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "0::/\n") ==
			   -ENOENT &&
		   find(&p, UNIFIED, "") == -ENOENT,
	   "no hierarchy, no place");
}

int main(void)
{
	unified();
	version_1();
	containers();
	OK(mem_group_bound() > 0, "the least limit of this machine is a size");
	return tap_done();
}
