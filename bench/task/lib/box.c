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
#include <stddef.h>
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

#include "call.h"
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
	const char *name; /* in /proc/PID/ns */
} spaces[] = {
	{ CLONE_NEWNS, "mnt" },	       { CLONE_NEWPID, "pid" },
	{ CLONE_NEWNET, "net" },       { CLONE_NEWIPC, "ipc" },
	{ CLONE_NEWUTS, "uts" },       { CLONE_NEWUSER, "user" },
	{ CLONE_NEWCGROUP, "cgroup" }, { CLONE_NEWTIME, "time" },
};

#define SPACES (sizeof(spaces) / sizeof(spaces[0]))

static const char *name_of(uint64_t flag)
{
	for (size_t i = 0; i < SPACES; i++)
		if (spaces[i].flag == flag)
			return spaces[i].name;
	return NULL;
}

uint64_t box_space(const char *name)
{
	for (size_t i = 0; i < SPACES; i++)
		if (!strcmp(spaces[i].name, name))
			return spaces[i].flag;
	return 0;
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

const char *box_path(struct box *x, const char *name)
{
	snprintf(x->path, sizeof(x->path), "%.*s/%s", PATH_MAX - 64, x->dir,
		 name);
	return x->path;
}

static bool attach(const struct box *x)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", x->pid);
	return !sysfile_write(pid, "%s/cgroup.procs", x->group);
}

static bool is_in_group(const struct box *x)
{
	return has(sysfile_text("/proc/%d/cgroup", x->pid),
		   strrchr(x->group, '/'));
}

static int open_netlink(unsigned int groups)
{
	const struct sockaddr_nl name = { .nl_family = AF_NETLINK,
					  .nl_groups = groups };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&name, sizeof(name)))
		return fd;
	close(fd);
	return -1;
}

/* A message of rtnetlink: an attribute that holds others ends with it. */
struct named {
	struct rtattr head;
	char name[8];
};

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	struct named near;
	struct rtattr info;
	struct named kind;
	struct rtattr data, peer;
	/* It is up only when the other end is there: later, by its owner. */
	struct ifinfomsg far_link;
	struct named far;
	struct rtattr owner;
	pid_t pid;
};

#define ATTRIBUTE(first, last, type)                          \
	{                                                     \
		offsetof(struct request, last) +              \
			sizeof(((struct request *)0)->last) - \
			offsetof(struct request, first),      \
			type                                  \
	}

static bool make_links(const struct box *x)
{
	const struct request q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = RTM_NEWLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_CREATE | NLM_F_EXCL },
		.link = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP },
		.near = { ATTRIBUTE(near, near, IFLA_IFNAME), NEAR_END },
		.info = ATTRIBUTE(info, pid, IFLA_LINKINFO),
		.kind = { ATTRIBUTE(kind, kind, IFLA_INFO_KIND), "veth" },
		.data = ATTRIBUTE(data, pid, IFLA_INFO_DATA),
		.peer = ATTRIBUTE(peer, pid, VETH_INFO_PEER),
		.far = { ATTRIBUTE(far, far, IFLA_IFNAME), FAR_END },
		.owner = ATTRIBUTE(owner, pid, IFLA_NET_NS_PID),
		.pid = x->pid,
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer = { 0 };
	const int fd = open_netlink(0);
	const bool answered = fd >= 0 &&
			      send(fd, &q, sizeof(q), 0) == sizeof(q) &&
			      recv(fd, &answer, sizeof(answer), 0) >=
				      (ssize_t)sizeof(answer.head);

	if (fd >= 0)
		close(fd);
	if (answered && answer.head.nlmsg_type == NLMSG_ERROR)
		errno = -answer.error.error;
	return answered && !answer.error.error;
}

/* As the kernel says on x->events: each message is of a link that changed. */
static bool links_go(const struct box *x)
{
	const int64_t deadline = deadline_in(partner_patience_ms);
	char message[8192];

	while (if_nametoindex(NEAR_END)) {
		struct pollfd wait = { x->events, POLLIN, 0 };

		if (deadline_passed(deadline)) {
			errno = ETIMEDOUT;
			return false;
		}
		if (poll(&wait, 1, (int)partner_patience_ms) > 0)
			(void)!recv(x->events, message, sizeof(message),
				    MSG_DONTWAIT);
	}
	return true;
}

static bool mount_overlay(struct box *x)
{
	char options[3 * PATH_MAX + 64];

	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", x->dir,
		 x->dir, x->dir);
	return !mount("overlay", box_path(x, "merged"), "overlay", 0, options);
}

static bool proc_is_ours(struct box *x)
{
	char pid[8] = "";

	return readlink(box_path(x, "merged/proc/self"), pid,
			sizeof(pid) - 1) == 1 &&
	       pid[0] == '1';
}

static bool host_is_named(void)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.nodename, HOST);
}

static bool leave_space(struct box *x)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s",
		 name_of(x->plan->flags));
	x->old = open(path, O_RDONLY | O_CLOEXEC);
	if (x->old < 0 && errno == ENOENT)
		errno = ENOSYS; /* a kernel without these namespaces */
	return x->old >= 0 && !unshare((int)x->plan->flags);
}

static bool is_back(const struct box *x)
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

static bool clone_first(struct box *x)
{
	struct clone_args args = { .flags = x->plan->flags,
				   .exit_signal = SIGCHLD };
	int fd = -1;

	if (x->plan->steps & BOX(SETNS))
		args.flags = 0;
	if (args.flags & CLONE_INTO_CGROUP) {
		fd = open(x->group, O_PATH | O_DIRECTORY | O_CLOEXEC);
		args.cgroup = (uint64_t)fd;
	}
	x->pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!x->pid)
		_exit(inside(x));
	if (fd >= 0)
		close(fd);
	return x->pid > 0;
}

static bool spaces_are_new(const struct box *x)
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

static bool reap(struct box *x)
{
	x->status = proc_reap(x->pid);
	x->pid = 0;
	errno = -x->status;
	return x->status >= 0;
}

/* In the order of enum box_step.  What the first write has copied is looked for
 * when the mount has gone, by take_copy(). */
#define CALL_LOCALS struct box *const x CALL_LOCAL = state;
#define CALLS(X)                                                              \
	X(EVENT, cgroup_mkdir, !mkdir(x->group, 0755),                        \
	  is_on(x->group, x->v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC))  \
	X(EVENT, clone, clone_first(x), spaces_are_new(x))                    \
	X(EVENT, cgroup_attach, attach(x), is_in_group(x))                    \
	X(EVENT, veth, make_links(x),                                         \
	  if_nametoindex(NEAR_END) &&                                         \
		  has(sysfile_text("/proc/%d/net/dev", x->pid), FAR_END ":")) \
	X(EVENT, hand_over, write(x->gate[1], "", 1) == 1)                    \
	X(EVENT, mounts_private,                                              \
	  !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL),                 \
	  !has(sysfile_text("/proc/self/mountinfo"), " shared:"))             \
	X(EVENT, overlay_mount, mount_overlay(x),                             \
	  is_on(box_path(x, "merged"), OVERLAYFS_SUPER_MAGIC))                \
	X(EVENT, proc_mount,                                                  \
	  !mount("proc", box_path(x, "merged/proc"), "proc",                  \
		 MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),                     \
	  proc_is_ours(x))                                                    \
	X(EVENT, pivot_root,                                                  \
	  !chdir(box_path(x, "merged")) &&                                    \
		  !syscall(SYS_pivot_root, ".", ".") &&                       \
		  !umount2(".", MNT_DETACH),                                  \
	  is_on("/", OVERLAYFS_SUPER_MAGIC) && !access("/true", X_OK) &&      \
		  access(x->dir, F_OK))                                       \
	X(EVENT, overlay_write, !sysfile_write("x", "/file"))                 \
	X(EVENT, hostname, !sethostname(HOST, strlen(HOST)), host_is_named()) \
	X(EVENT, unshare, leave_space(x))                                     \
	X(EVENT, setns, !setns(x->old, (int)x->plan->flags), is_back(x))      \
	X(EVENT, run, reap(x), !x->status)                                    \
	X(EVENT, exit, reap(x), !x->status)                                   \
	X(EVENT, cgroup_rmdir, !rmdir(x->group),                              \
	  access(x->group, F_OK) && errno == ENOENT)                          \
	X(EVENT, net_gone, links_go(x), !if_nametoindex(NEAR_END))
CALL_FUNCTIONS(CALLS)
static const struct call steps[BOX_STEPS + 1] = CALL_ROWS(CALLS);

const char *box_step_name(enum box_step step)
{
	return steps[step].name;
}

static void begin(struct box *x)
{
	x->page->begin = timer_begin(x->method);
}

static void end(struct box *x, int step)
{
	x->page->ticks[step] = timer_end(x->method) - x->page->begin;
}

/* One step.  A hand-over ends, and a run begins, in the first process. */
static int perform(struct box *x, int i)
{
	struct box_page *page = x->page;
	uint64_t ticks;
	int held;

	if (i == BOX_HAND_OVER)
		begin(x);
	if (!steps[i].time(x, NULL, x->method, &ticks)) {
		page->failed = i;
		page->err = errno;
		return -errno;
	}
	if (i == BOX_RUN || i == BOX_EXIT)
		end(x, i);
	else if (i != BOX_HAND_OVER)
		page->ticks[i] = ticks;
	held = x->plan->together ? CALL_UNSEEN : steps[i].holds(x, NULL, 1);
	if (held != CALL_UNSEEN)
		page->seen[i] = held;
	return 0;
}

/* Of @from to @to what the plan has. */
static int perform_some(struct box *x, int from, int to)
{
	int err = 0;

	for (int i = from; i <= to && !err; i++) {
		if (x->plan->steps & 1u << i)
			err = perform(x, i);
		if (i == x->plan->step)
			x->page->all_ticks =
				timer_end(x->method) - x->page->all_begin;
	}
	return err;
}

/* The first process.  Return: its status, if it executes nothing. */
static int inside(struct box *x)
{
	char *const argv[] = { "true", NULL }, *const none[] = { NULL };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(x->gate[1]);
	if (read(x->gate[0], &byte, 1) != 1)
		return 1;
	end(x, BOX_HAND_OVER);
	x->page->seen[BOX_HAND_OVER] = true;
	if (perform_some(x, BOX_PRIVATE, BOX_SETNS))
		return 1;
	begin(x);
	return x->plan->steps & BOX(RUN) && execve("/true", argv, none);
}

/* What it wrote is in the upper directory, which is emptied for the next. */
static void take_copy(struct box *x)
{
	x->page->seen[BOX_FIRST_WRITE] = !unlink(box_path(x, "upper/file"));
}

/* What a plan that failed, or does not have these steps, has left. */
static void clear(struct box *x)
{
	if (x->pid > 0) {
		kill(x->pid, SIGKILL);
		reap(x);
	}
	if (x->plan->steps & BOX(FIRST_WRITE))
		take_copy(x);
	if (x->plan->steps & BOX(MKDIR))
		rmdir(x->group);
	if (x->plan->steps & BOX(VETH))
		links_go(x);
	close(x->events);
	close(x->gate[0]);
	close(x->gate[1]);
}

int box_make(struct box *x, const struct box_plan *plan)
{
	const int last = plan->steps & BOX(RUN) ? BOX_RUN : BOX_EXIT;
	int err;

	*x->page = (struct box_page) { 0 };
	x->plan = plan;
	x->pid = 0;
	x->status = -1;
	x->events = open_netlink(RTMGRP_LINK);
	if (x->events < 0 || pipe2(x->gate, O_CLOEXEC))
		return -errno;
	x->page->all_begin = timer_begin(x->method);
	err = perform_some(x, BOX_MKDIR, BOX_HAND_OVER);
	if (!err)
		err = perform_some(x, last, BOX_NET_GONE);
	clear(x);
	return err ? err : -x->page->err;
}
