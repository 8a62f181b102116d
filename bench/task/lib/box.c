/* SPDX-License-Identifier: MIT */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/magic.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/veth.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "deadline.h"
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

void box_path(const struct box *x, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, x->dir, name);
}

/* In all that follow: 0, or with errno another; and whether it has come about.
 */

static int group_make(struct box *x)
{
	return mkdir(x->group, 0755);
}

static bool group_is_there(struct box *x)
{
	return is_on(x->group,
		     x->v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC);
}

static int group_remove(struct box *x)
{
	return rmdir(x->group);
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
	err = fd < 0 || write(fd, pid, (size_t)len) != len;
	if (fd >= 0)
		close(fd);
	return err;
}

static bool is_in_group(struct box *x)
{
	return has(sysfile_text("/proc/%d/cgroup", x->pid),
		   strrchr(x->group, '/'));
}

/* A message of rtnetlink. */
struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	char attributes[256];
};

static struct rtattr *add(struct request *q, unsigned short type,
			  const void *data, size_t bytes)
{
	struct rtattr *a =
		(struct rtattr *)((char *)q + NLMSG_ALIGN(q->head.nlmsg_len));

	*a = (struct rtattr) { (unsigned short)RTA_LENGTH(bytes), type };
	if (bytes)
		memcpy(RTA_DATA(a), data, bytes);
	q->head.nlmsg_len = NLMSG_ALIGN(q->head.nlmsg_len) +
			    (uint32_t)RTA_ALIGN(a->rta_len);
	return a;
}

/* @a holds all that was added since. */
static void close_nest(struct request *q, struct rtattr *a)
{
	a->rta_len =
		(unsigned short)((char *)q + q->head.nlmsg_len - (char *)a);
}

static int open_socket(unsigned int groups)
{
	const struct sockaddr_nl name = { .nl_family = AF_NETLINK,
					  .nl_groups = groups };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || !groups ||
	    !bind(fd, (const struct sockaddr *)&name, sizeof(name)))
		return fd;
	close(fd);
	return -1;
}

static int ask(const struct request *q)
{
	const int fd = open_socket(0);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer = { 0 };
	int bad;

	if (fd < 0)
		return -1;
	bad = send(fd, q, q->head.nlmsg_len, 0) < 0 ||
	      recv(fd, &answer, sizeof(answer), 0) <
		      (ssize_t)sizeof(answer.head);
	close(fd);
	if (bad || answer.head.nlmsg_type != NLMSG_ERROR || !answer.error.error)
		return -bad;
	errno = -answer.error.error;
	return -1;
}

static int link_make(struct box *x)
{
	struct request q = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(q.link)),
			  .nlmsg_type = RTM_NEWLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_CREATE | NLM_F_EXCL },
		.link = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP },
	};
	/* It is up only when the other end is there: later, by its owner. */
	const struct ifinfomsg far_link = { 0 };
	struct rtattr *info, *data, *peer;

	add(&q, IFLA_IFNAME, NEAR_END, sizeof(NEAR_END));
	info = add(&q, IFLA_LINKINFO, NULL, 0);
	add(&q, IFLA_INFO_KIND, "veth", strlen("veth"));
	data = add(&q, IFLA_INFO_DATA, NULL, 0);
	peer = add(&q, VETH_INFO_PEER, &far_link, sizeof(far_link));
	add(&q, IFLA_IFNAME, FAR_END, sizeof(FAR_END));
	add(&q, IFLA_NET_NS_PID, &x->pid, sizeof(x->pid));
	close_nest(&q, peer);
	close_nest(&q, data);
	close_nest(&q, info);
	return ask(&q);
}

int box_events(void)
{
	return open_socket(RTMGRP_LINK);
}

static bool links_are_there(struct box *x)
{
	return if_nametoindex(NEAR_END) &&
	       has(sysfile_text("/proc/%d/net/dev", x->pid), FAR_END ":");
}

/* As the kernel says on x->events. */
static int link_await(struct box *x)
{
	const int64_t deadline = deadline_in(partner_patience_ms);
	char message[8192];

	/* Each message says that some link has changed: then look. */
	while (if_nametoindex(NEAR_END)) {
		struct pollfd wait = { x->events, POLLIN, 0 };

		if (deadline_passed(deadline)) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (poll(&wait, 1, (int)partner_patience_ms) > 0)
			(void)!recv(x->events, message, sizeof(message),
				    MSG_DONTWAIT);
	}
	return 0;
}

static bool link_is_gone(struct box *x)
{
	return !if_nametoindex(NEAR_END);
}

static int open_gate(struct box *x)
{
	return write(x->gate[1], "", 1) != 1;
}

static int make_private(struct box *x)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static bool is_private(struct box *x)
{
	return !has(sysfile_text("/proc/self/mountinfo"), " shared:");
}

static int overlay_mount(struct box *x)
{
	char options[3 * PATH_MAX + 64], merged[PATH_MAX];

	box_path(x, "merged", merged);
	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", x->dir,
		 x->dir, x->dir);
	return mount("overlay", merged, "overlay", 0, options);
}

static bool overlay_is_there(struct box *x)
{
	char merged[PATH_MAX];

	box_path(x, "merged", merged);
	return is_on(merged, OVERLAYFS_SUPER_MAGIC);
}

static int proc_mount(struct box *x)
{
	char path[PATH_MAX];

	box_path(x, "merged/proc", path);
	return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     NULL);
}

static bool proc_is_ours(struct box *x)
{
	char path[PATH_MAX], pid[8] = "";

	box_path(x, "merged/proc/self", path);
	return readlink(path, pid, sizeof(pid) - 1) == 1 && pid[0] == '1';
}

static int pivot(struct box *x)
{
	char merged[PATH_MAX];

	box_path(x, "merged", merged);
	return chdir(merged) || syscall(SYS_pivot_root, ".", ".") ||
	       umount2(".", MNT_DETACH);
}

static bool root_is_new(struct box *x)
{
	return is_on("/", OVERLAYFS_SUPER_MAGIC) && !access("/true", X_OK) &&
	       access(x->dir, F_OK);
}

static int first_write(struct box *x)
{
	const int fd = open("/file", O_WRONLY | O_CLOEXEC);
	const int err = fd < 0 || write(fd, "x", 1) != 1;

	if (fd >= 0)
		close(fd);
	return err;
}

static int name_host(struct box *x)
{
	return sethostname(HOST, strlen(HOST));
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
		errno = ENOSYS; /* a kernel without these namespaces */
	return x->old < 0 || unshare((int)x->plan->flags);
}

static int return_to_space(struct box *x)
{
	return setns(x->old, (int)x->plan->flags);
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

static int inside(struct box *x);

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
		_exit(inside(x));
	if (fd >= 0)
		close(fd);
	return x->pid < 0;
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
	errno = -x->status;
	return x->status < 0;
}

static bool ended_well(struct box *x)
{
	return !x->status;
}

/* One step of making a container. */
static const struct {
	const char *name;
	int (*run)(struct box *x);
	bool (*seen)(struct box *x); /* that it came about; or NULL */
} steps[BOX_STEPS] = {
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

const char *box_step_name(enum box_step step)
{
	return steps[step].name;
}

static void begin(struct box *x, int step)
{
	x->page->begin[step] = timer_begin(x->method);
}

static void end(struct box *x, int step)
{
	x->page->ticks[step] = timer_end(x->method) - x->page->begin[step];
}

/* One step.  A hand-over ends, and a run begins, in the first process. */
static int perform(struct box *x, int i)
{
	const bool each = x->plan->each;
	int err;

	if (each && i != BOX_RUN && i != BOX_EXIT)
		begin(x, i);
	err = steps[i].run(x) ? -errno : 0;
	if (each && i != BOX_HAND_OVER)
		end(x, i);
	if (err) {
		x->page->failed = i;
		x->page->err = -err;
	} else if (each && steps[i].seen) {
		x->page->seen[i] = steps[i].seen(x);
	}
	return err;
}

/* Of @from to @to what the plan has. */
static int perform_some(struct box *x, int from, int to)
{
	int err = 0;

	for (int i = from; i <= to && !err; i++) {
		if (x->plan->steps & 1u << i)
			err = perform(x, i);
		if (!x->plan->each && x->plan->last == i)
			x->page->all_ticks =
				timer_end(x->method) - x->page->all_begin;
	}
	return err;
}

/* The first process.  Return: its status, if it executes nothing. */
static int inside(struct box *x)
{
	const struct box_plan *p = x->plan;
	char *const argv[] = { "true", NULL }, *const none[] = { NULL };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(x->gate[1]);
	if (read(x->gate[0], &byte, 1) != 1)
		return 1;
	if (p->each)
		end(x, BOX_HAND_OVER);
	x->page->seen[BOX_HAND_OVER] = true;
	if (perform_some(x, BOX_PRIVATE, BOX_SETNS))
		return 1;
	if (p->each)
		begin(x, p->steps & BOX(RUN) ? BOX_RUN : BOX_EXIT);
	return p->steps & BOX(RUN) && execve("/true", argv, none);
}

/* What it wrote is in the upper directory, which is emptied for the next. */
static void take_copy(struct box *x)
{
	char path[PATH_MAX];

	box_path(x, "upper/file", path);
	x->page->seen[BOX_FIRST_WRITE] = !unlink(path);
}

/* What a plan that failed, or does not have these steps, has left. */
static void clear(struct box *x)
{
	if (x->pid > 0) {
		kill(x->pid, SIGKILL);
		steps[BOX_EXIT].run(x);
	}
	if (x->plan->steps & BOX(FIRST_WRITE))
		take_copy(x);
	if (x->plan->steps & BOX(MKDIR))
		rmdir(x->group);
	if (x->plan->steps & BOX(VETH) && !steps[BOX_NET_GONE].seen(x))
		steps[BOX_NET_GONE].run(x);
}

int box_make(struct box *x, const struct box_plan *plan)
{
	const int last = plan->steps & BOX(RUN) ? BOX_RUN : BOX_EXIT;
	int err;

	*x->page = (struct box_page) { 0 };
	x->plan = plan;
	x->pid = 0;
	x->status = -1;
	if (pipe2(x->gate, O_CLOEXEC))
		return -errno;
	x->page->all_begin = timer_begin(x->method);
	err = perform_some(x, BOX_MKDIR, BOX_HAND_OVER);
	if (!err)
		err = perform_some(x, last, BOX_NET_GONE);
	clear(x);
	close(x->gate[0]);
	close(x->gate[1]);
	return err ? err : -x->page->err;
}
