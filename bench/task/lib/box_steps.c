/* SPDX-License-Identifier: MIT */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "box_link.h"
#include "partner.h"
#include "proc_spawn.h"
#include "sysfile.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define NEAR_END "oscost0"
#define FAR_END	 "eth0"
#define HOST	 "oscost"

static const struct {
	uint64_t flag;
	const char *name;
} spaces[] = {
	{ CLONE_NEWNS, "mnt" },	       { CLONE_NEWPID, "pid" },
	{ CLONE_NEWNET, "net" },       { CLONE_NEWIPC, "ipc" },
	{ CLONE_NEWUTS, "uts" },       { CLONE_NEWUSER, "user" },
	{ CLONE_NEWCGROUP, "cgroup" }, { CLONE_NEWTIME, "time" },
};

#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

/* Its name in /proc/PID/ns. */
static const char *name_of(uint64_t flag)
{
	for (size_t i = 0; i < SPACES; i++)
		if (spaces[i].flag == flag)
			return spaces[i].name;
	return NULL;
}

/* Which namespace: its inode, 0 if it cannot be seen. */
static ino_t space_of(pid_t pid, const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, name);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Whether text @all, which is freed, has @part. */
static bool has(char *all, const char *part)
{
	const bool yes = all && strstr(all, part);

	free(all);
	return yes;
}

static bool is_on(const char *path, long magic)
{
	struct statfs fs;

	return !statfs(path, &fs) && (long)fs.f_type == magic;
}

static void path_in(const struct box *x, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, x->dir, name);
}

/* In all that follow: 0 or -errno; and whether it has come about. */

static int group_make(struct box *x)
{
	return mkdir(x->group, 0755) ? -errno : 0;
}

static bool group_is_there(struct box *x)
{
	return is_on(x->group,
		     x->v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

static int group_remove(struct box *x)
{
	return rmdir(x->group) ? -errno : 0;
}

static bool group_is_gone(struct box *x)
{
	return access(x->group, F_OK) && errno == ENOENT;
}

static int group_attach(struct box *x)
{
	char path[PATH_MAX + 16], pid[16];
	const int len = snprintf(pid, sizeof(pid), "%d", x->pid);
	int fd, err;

	snprintf(path, sizeof(path), "%s/cgroup.procs", x->group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, pid, (size_t)len) == len ? 0 : -errno;
	close(fd);
	return err;
}

static bool is_in_group(struct box *x)
{
	return has(sysfile_text("/proc/%d/cgroup", x->pid),
		   strrchr(x->group, '/'));
}

static int link_make(struct box *x)
{
	return box_link_make(NEAR_END, FAR_END, x->pid);
}

static bool links_are_there(struct box *x)
{
	return if_nametoindex(NEAR_END) &&
	       has(sysfile_text("/proc/%d/net/dev", x->pid), FAR_END ":");
}

static int link_await(struct box *x)
{
	return box_link_await(x->events, NEAR_END, (int)partner_patience_ms);
}

static bool link_is_gone(struct box *x)
{
	return !if_nametoindex(NEAR_END);
}

static int open_gate(struct box *x)
{
	return write(x->gate[1], "", 1) == 1 ? 0 : -errno;
}

static int make_private(struct box *x)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ? -errno : 0;
}

static bool is_private(struct box *x)
{
	return !has(sysfile_text("/proc/self/mountinfo"), " shared:");
}

static int overlay_mount(struct box *x)
{
	char options[3 * PATH_MAX + 64], merged[PATH_MAX];

	path_in(x, "merged", merged);
	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", x->dir,
		 x->dir, x->dir);
	return mount("overlay", merged, "overlay", 0, options) ? -errno : 0;
}

static bool overlay_is_there(struct box *x)
{
	char merged[PATH_MAX];

	path_in(x, "merged", merged);
	return is_on(merged, OVERLAYFS_SUPER_MAGIC);
}

static int proc_mount(struct box *x)
{
	char path[PATH_MAX];

	path_in(x, "merged/proc", path);
	return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     NULL)
		       ? -errno
		       : 0;
}

static bool proc_is_ours(struct box *x)
{
	char path[PATH_MAX], pid[8] = "";

	path_in(x, "merged/proc/self", path);
	return readlink(path, pid, sizeof(pid) - 1) == 1 && pid[0] == '1';
}

static int pivot(struct box *x)
{
	char merged[PATH_MAX];

	path_in(x, "merged", merged);
	return chdir(merged) || syscall(SYS_pivot_root, ".", ".") ||
			       umount2(".", MNT_DETACH)
		       ? -errno
		       : 0;
}

static bool root_is_new(struct box *x)
{
	return is_on("/", OVERLAYFS_SUPER_MAGIC) && !access("/true", X_OK) &&
	       access(x->dir, F_OK);
}

static int first_write(struct box *x)
{
	const int fd = open("/file", O_WRONLY | O_CLOEXEC);
	const int err = fd < 0 || write(fd, "x", 1) != 1 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return err;
}

static int name_host(struct box *x)
{
	return sethostname(HOST, strlen(HOST)) ? -errno : 0;
}

static bool host_is_named(struct box *x)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.nodename, HOST);
}

static int leave_space(struct box *x)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s",
		 name_of(x->plan->flags));
	x->old = open(path, O_RDONLY | O_CLOEXEC);
	if (x->old < 0 && errno == ENOENT)
		return -ENOSYS; /* a kernel without these namespaces */
	return x->old < 0 || unshare((int)x->plan->flags) ? -errno : 0;
}

static int return_to_space(struct box *x)
{
	return setns(x->old, (int)x->plan->flags) ? -errno : 0;
}

static bool is_back(struct box *x)
{
	char name[32];
	struct stat st;

	/* A process that is there stays where it is; its children do not. */
	snprintf(name, sizeof(name), "%s%s", name_of(x->plan->flags),
		 x->plan->flags & (CLONE_NEWPID | CLONE_NEWTIME)
			 ? "_for_children"
			 : "");
	return !fstat(x->old, &st) && space_of(getpid(), name) == st.st_ino;
}

static int clone_first(struct box *x)
{
	struct clone_args args = { .flags = x->plan->flags & ~CLONE_INTO_CGROUP,
				   .exit_signal = SIGCHLD };
	int fd = -1;

	if (x->plan->steps & BOX(SETNS))
		args.flags = 0;
	if (x->plan->flags & CLONE_INTO_CGROUP) {
		fd = open(x->group, O_PATH | O_DIRECTORY | O_CLOEXEC);
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)fd;
	}
	x->pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!x->pid)
		_exit(box_inside(x) ? 1 : 0);
	if (fd >= 0)
		close(fd);
	return x->pid < 0 ? -errno : 0;
}

static bool spaces_are_new(struct box *x)
{
	if (x->plan->flags & CLONE_INTO_CGROUP && !is_in_group(x))
		return false;
	for (size_t i = 0; i < SPACES; i++) {
		const ino_t theirs = space_of(x->pid, spaces[i].name);
		const ino_t ours = space_of(getpid(), spaces[i].name);

		if ((theirs != ours) != !!(x->plan->flags & spaces[i].flag))
			return false;
	}
	return true;
}

static int reap(struct box *x)
{
	x->status = proc_reap(x->pid);
	x->pid = 0;
	return x->status < 0 ? x->status : 0;
}

static bool ended_well(struct box *x)
{
	return !x->status;
}

const struct box_step_row box_steps[BOX_STEPS] = {
	[BOX_MKDIR] = { "cgroup_mkdir", group_make, group_is_there },
	[BOX_CLONE] = { "clone", clone_first, spaces_are_new },
	[BOX_ATTACH] = { "cgroup_attach", group_attach, is_in_group },
	[BOX_VETH] = { "veth", link_make, links_are_there },
	[BOX_HAND_OVER] = { "hand_over", open_gate, NULL },
	[BOX_PRIVATE] = { "mounts_private", make_private, is_private },
	[BOX_OVERLAY] = { "overlay_mount", overlay_mount, overlay_is_there },
	[BOX_PROC] = { "proc_mount", proc_mount, proc_is_ours },
	[BOX_PIVOT] = { "pivot_root", pivot, root_is_new },
	[BOX_FIRST_WRITE] = { "overlay_write", first_write, NULL },
	[BOX_HOSTNAME] = { "hostname", name_host, host_is_named },
	[BOX_UNSHARE] = { "unshare", leave_space, NULL },
	[BOX_SETNS] = { "setns", return_to_space, is_back },
	[BOX_RUN] = { "run", reap, ended_well },
	[BOX_EXIT] = { "exit", reap, ended_well },
	[BOX_RMDIR] = { "cgroup_rmdir", group_remove, group_is_gone },
	[BOX_NET_GONE] = { "net_gone", link_await, link_is_gone },
};
