/* SPDX-License-Identifier: MIT */
/*
 * container - what does it cost to start a container, and which part costs
 * what?
 *
 * A container is a process with namespaces of its own, a control group, a root
 * on an overlay file system and one end of a pair of network devices. This
 * program makes one as a container runtime does, runs a static program in it
 * that only ends, and takes it down: whole=run. The part= rows time each step
 * of another such container, and look after each whether it has done what it
 * should. whole=parts is their sum, whole=rest what the whole takes more. In
 * order: cgroup_mkdir; clone, into six namespaces (mount, PID, network, IPC,
 * UTS, cgroup); cgroup_attach; veth, a pair; hand_over, the byte in a pipe
 * that the first process waits for, and the switch to it; mounts_private;
 * overlay_mount; proc_mount; pivot_root; overlay_write, the first one to a
 * file of the lower directory, which is copied up; hostname; run, from before
 * execve() to the reaping, with the end of all namespaces but the network's;
 * cgroup_rmdir. part=exit is run without a program.
 *
 * The kernel takes a network namespace down later and by itself. net_gone is
 * the time from the reaping until it is gone, and the far end of the pair with
 * it, as the kernel then reports; whole=awaited is the run and this.
 *
 * clone= rows: clone3() into one new namespace, none, the six, or into a
 * control group (CLONE_INTO_CGROUP, version 2), as its caller sees it.
 *
 * This process has a network namespace of its own meanwhile, so that no device
 * of the machine's is added or removed, and all goes with it if it is killed.
 *
 * Measures: ns for one event of its kind, on one CPU.
 * Includes: for cgroup_attach opening and closing the file, for veth the
 *           socket.
 * After:    the steps of crun and runc; lmbench has none.
 * Needs:    root; overlay and veth for some rows; a scratch directory (--dir)
 *           that overlay takes as its upper directory.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_link.h>
#include <linux/magic.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/veth.h>
#include <net/if.h>
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
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench.h"
#include "call.h"
#include "groups.h"
#include "guard.h"
#include "lib/proc_copy.h"
#include "lib/proc_spawn.h"
#include "partner.h"
#include "sysfile.h"

#define HOST "oscost"

#define SIX                                                         \
	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
	 CLONE_NEWUTS | CLONE_NEWCGROUP)

static const char points[] =
	"whole={run,awaited,parts}; part=exit;"
	"clone={none,mnt,pid,net,ipc,uts,user,cgroup,time,six,into_cgroup};"
	"is switches;"
	"part=$parts; is derived of=[whole=parts !part];"
	"whole=rest; is switches;"
	"rest := run * (1 - parts_over_run:(parts / run))";

/*
 * A pair of network devices: its ends here and there.
 */
#define VETH_NEAR "oscost0"
#define VETH_FAR  "eth0"

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

/* Make it, with the far end in the network namespace of @pid. */
static bool veth_make(pid_t pid)
{
	const struct request q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = RTM_NEWLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_CREATE | NLM_F_EXCL },
		.link = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP },
		.near = { ATTRIBUTE(near, near, IFLA_IFNAME), VETH_NEAR },
		.info = ATTRIBUTE(info, pid, IFLA_LINKINFO),
		.kind = { ATTRIBUTE(kind, kind, IFLA_INFO_KIND), "veth" },
		.data = ATTRIBUTE(data, pid, IFLA_INFO_DATA),
		.peer = ATTRIBUTE(peer, pid, VETH_INFO_PEER),
		.far = { ATTRIBUTE(far, far, IFLA_IFNAME), VETH_FAR },
		.owner = ATTRIBUTE(owner, pid, IFLA_NET_NS_PID),
		.pid = pid,
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

/* A socket on which the kernel reports changed links. */
static int veth_watch(void)
{
	const struct timeval patience = { .tv_sec = 30 };
	const int fd = open_netlink(RTMGRP_LINK);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* Wait on it until the near end is gone. */
static bool veth_gone(int events)
{
	char message[8192];

	while (if_nametoindex(VETH_NEAR))
		if (recv(events, message, sizeof(message), 0) < 0 &&
		    errno == EAGAIN) {
			errno = ETIMEDOUT;
			return false;
		}
	return true;
}

/*
 * The steps.
 */

/* By their names in /proc/PID/ns; and what else is cloned into. */
static const struct space {
	const char *name;
	uint64_t flags;
} spaces[] = {
	{ "mnt", CLONE_NEWNS },
	{ "pid", CLONE_NEWPID },
	{ "net", CLONE_NEWNET },
	{ "ipc", CLONE_NEWIPC },
	{ "uts", CLONE_NEWUTS },
	{ "user", CLONE_NEWUSER },
	{ "cgroup", CLONE_NEWCGROUP },
	{ "time", CLONE_NEWTIME },
#define SPACES 8
	{ "none", 0 },
	{ "six", SIX },
	{ "into_cgroup", CLONE_INTO_CGROUP },
};

/* The steps, in this order.  The copy that the first write made is looked for
 * when the mount has gone, by take_copy().  run is a program, its end, and that
 * of all namespaces but the network's. */
#define CALL_LOCALS struct state *const x CALL_LOCAL = state;
#define CALLS(X)                                                               \
	X(EVENT, cgroup_mkdir, !mkdir(x->group, 0755),                         \
	  is_on(x->group, x->v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC))   \
	X(EVENT, clone, clone_first(x), spaces_are_new(x))                     \
	X(EVENT, cgroup_attach, attach(x), is_in_group(x))                     \
	X(EVENT, veth, veth_make(x->pid),                                      \
	  if_nametoindex(VETH_NEAR) &&                                         \
		  has(sysfile_text("/proc/%d/net/dev", x->pid), VETH_FAR ":")) \
	X(EVENT, hand_over, write(x->gate[1], "", 1) == 1)                     \
	X(EVENT, mounts_private,                                               \
	  !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL),                  \
	  !has(sysfile_text("/proc/self/mountinfo"), " shared:"))              \
	X(EVENT, overlay_mount, mount_overlay(x),                              \
	  is_on(path_of(x, "merged"), OVERLAYFS_SUPER_MAGIC))                  \
	X(EVENT, proc_mount,                                                   \
	  !mount("proc", path_of(x, "merged/proc"), "proc",                    \
		 MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL),                      \
	  proc_is_ours(x))                                                     \
	X(EVENT, pivot_root,                                                   \
	  !chdir(path_of(x, "merged")) &&                                      \
		  !syscall(SYS_pivot_root, ".", ".") &&                        \
		  !umount2(".", MNT_DETACH),                                   \
	  is_on("/", OVERLAYFS_SUPER_MAGIC) && !access("/true", X_OK) &&       \
		  access(x->dir, F_OK))                                        \
	X(EVENT, overlay_write, !sysfile_write("x", "/file"))                  \
	X(EVENT, hostname, !sethostname(HOST, strlen(HOST)), host_is_named())  \
	X(EVENT, run, reap(x), !x->status)                                     \
	X(EVENT, exit, reap(x), !x->status)                                    \
	X(EVENT, cgroup_rmdir, !rmdir(x->group),                               \
	  access(x->group, F_OK) && errno == ENOENT)                           \
	X(EVENT, net_gone, veth_gone(x->events), !if_nametoindex(VETH_NEAR))

#define STEP_ENUM(kind, name, ...) BOX_##name,
enum { CALLS(STEP_ENUM) BOX_STEPS };
#define BOX(step) (1u << BOX_##step)

/* The steps of a run, each of which needs those before it. */
#define ALL ((BOX(net_gone) << 1) - 1 - BOX(exit))

/* One way of making a container, and what of it is timed. */
struct plan {
	unsigned int steps; /* BOX() | ... */
	uint64_t flags;	    /* of clone3() */
	bool together;	    /* no step is looked at, and all are timed... */
	int step; /* ...up to this one; else it alone; BOX_STEPS: each */
};

/* The page that both processes write. */
struct page {
	uint64_t begin, ticks[BOX_STEPS]; /* raw */
	uint64_t all_begin, all_ticks;
	bool seen[BOX_STEPS]; /* that it has done what it should */
	int failed, err;      /* which step, why (positive errno) */
};

struct state {
	enum timer_method method;
	char dir[PATH_MAX];   /* with lower/, upper/, work/, merged/ */
	char group[PATH_MAX]; /* "": no control group can be made */
	bool v2;
	struct page *page;
	const struct bench_case *part[BOX_STEPS];

	/* The present container, which the measuring process makes; steps from
	 * mounts_private to hostname are those of its first process. */
	struct plan plan;
	pid_t pid;
	int gate[2], events; /* a pipe; of links that go */
	int status;	     /* of the first process */
	char path[PATH_MAX];
};

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

/* The path of @name in x->dir, valid until the next call. */
static const char *path_of(struct state *x, const char *name)
{
	snprintf(x->path, sizeof(x->path), "%.*s/%s", PATH_MAX - 64, x->dir,
		 name);
	return x->path;
}

static bool attach(const struct state *x)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", x->pid);
	return !sysfile_write(pid, "%s/cgroup.procs", x->group);
}

static bool is_in_group(const struct state *x)
{
	return has(sysfile_text("/proc/%d/cgroup", x->pid),
		   strrchr(x->group, '/'));
}

static bool mount_overlay(struct state *x)
{
	char options[3 * PATH_MAX + 64];

	snprintf(options, sizeof(options),
		 "lowerdir=%s/lower,upperdir=%s/upper,workdir=%s/work", x->dir,
		 x->dir, x->dir);
	return !mount("overlay", path_of(x, "merged"), "overlay", 0, options);
}

static bool proc_is_ours(struct state *x)
{
	char pid[8] = "";

	return readlink(path_of(x, "merged/proc/self"), pid, sizeof(pid) - 1) ==
		       1 &&
	       pid[0] == '1';
}

static bool host_is_named(void)
{
	struct utsname name;

	return !uname(&name) && !strcmp(name.nodename, HOST);
}

static int inside(struct state *x);

static bool clone_first(struct state *x)
{
	struct clone_args args = { .flags = x->plan.flags,
				   .exit_signal = SIGCHLD };
	int fd = -1;

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

static bool spaces_are_new(const struct state *x)
{
	if (x->plan.flags & CLONE_INTO_CGROUP && !is_in_group(x))
		return false;
	for (size_t i = 0; i < SPACES; i++) {
		const ino_t theirs = space_of(x->pid, spaces[i].name);
		const ino_t ours = space_of(getpid(), spaces[i].name);

		if ((theirs != ours) != !!(x->plan.flags & spaces[i].flags))
			return false;
	}
	return true;
}

static bool reap(struct state *x)
{
	x->status = proc_reap(x->pid);
	x->pid = 0;
	errno = -x->status;
	return x->status >= 0;
}

CALL_FUNCTIONS(CALLS)
static const struct call steps[] = CALL_ROWS(CALLS);

static void begin(struct state *x)
{
	x->page->begin = timer_begin(x->method);
}

static void end(struct state *x, int step)
{
	x->page->ticks[step] = timer_end(x->method) - x->page->begin;
}

/* One step.  A hand-over ends, and a run begins, in the first process. */
static int perform(struct state *x, int i)
{
	struct page *page = x->page;
	uint64_t ticks;
	int held;

	if (i == BOX_hand_over)
		begin(x);
	if (!steps[i].time(x, NULL, x->method, &ticks)) {
		page->failed = i;
		page->err = errno;
		return -errno;
	}
	if (i == BOX_run || i == BOX_exit)
		end(x, i);
	else if (i != BOX_hand_over)
		page->ticks[i] = ticks;
	held = x->plan.together ? CALL_UNSEEN : steps[i].holds(x, NULL, 1);
	if (held != CALL_UNSEEN)
		page->seen[i] = held;
	return 0;
}

/* Perform the steps of the plan from @from to @to. */
static int perform_some(struct state *x, int from, int to)
{
	int err = 0;

	for (int i = from; i <= to && !err; i++) {
		if (x->plan.steps & 1u << i)
			err = perform(x, i);
		if (i == x->plan.step)
			x->page->all_ticks =
				timer_end(x->method) - x->page->all_begin;
	}
	return err;
}

/* The first process.  Return: its status, if it executes nothing. */
static int inside(struct state *x)
{
	char *const argv[] = { "true", NULL }, *const none[] = { NULL };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(x->gate[1]);
	if (read(x->gate[0], &byte, 1) != 1)
		return 1;
	end(x, BOX_hand_over);
	x->page->seen[BOX_hand_over] = true;
	if (perform_some(x, BOX_mounts_private, BOX_hostname))
		return 1;
	begin(x);
	return x->plan.steps & BOX(run) && execve("/true", argv, none);
}

/* The copy lies in the upper directory, which is emptied for the next one. */
static void take_copy(struct state *x)
{
	x->page->seen[BOX_overlay_write] = !unlink(path_of(x, "upper/file"));
}

/* Remove the remains of a plan that failed or lacks these steps. */
static void clear(struct state *x)
{
	if (x->pid > 0) {
		kill(x->pid, SIGKILL);
		reap(x);
	}
	if (x->plan.steps & BOX(overlay_write))
		take_copy(x);
	if (x->plan.steps & BOX(cgroup_mkdir))
		rmdir(x->group);
	if (x->plan.steps & BOX(veth))
		veth_gone(x->events);
	close(x->events);
	close(x->gate[0]);
	close(x->gate[1]);
}

/* Make a container by x->plan, end it, and leave nothing of it.  Return: 0, or
 * -errno with page->failed. */
static int make(struct state *x)
{
	int err;

	*x->page = (struct page) { 0 };
	x->pid = 0;
	x->status = -1;
	x->events = veth_watch();
	if (x->events < 0 || pipe2(x->gate, O_CLOEXEC))
		return -errno;
	x->page->all_begin = timer_begin(x->method);
	err = perform_some(x, BOX_cgroup_mkdir, BOX_hand_over);
	if (!err)
		err = perform_some(x, BOX_run, BOX_net_gone);
	clear(x);
	return err ? err : -x->page->err;
}

static void cases(struct bench *b, void *state)
{
	const char *parts[BOX_STEPS];
	size_t n = 0;

	for (int i = 0; i < BOX_STEPS; i++)
		if (ALL & 1u << i)
			parts[n++] = steps[i].name;
	bench_set_names(b, "parts", parts, sizeof(parts[0]), n);
}

/* Directories, the program and a file of one page for the overlay. */
static int make_places(struct bench *b, struct state *x)
{
	static const char *const names[] = { "lower", "lower/proc", "lower/dev",
					     "upper", "work",	    "merged" };
	static const char page[4096] = "x";
	const char *path;
	int fd;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = path_of(x, names[i]);
		if (mkdir(path, 0755))
			return bench_fail(b, errno, "make %s", path);
	}
	path = path_of(x, "lower/file");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return bench_fail(b, errno, "write %s", path);
	close(fd);
	return proc_copy_program(b, "oscost-true", path_of(x, "lower/true"));
}

/* The innermost group in which this process may make others. */
static void take_place(void *arg, const char *dir, bool is_v2)
{
	struct state *x = arg;

	if (x->group[0] || access(dir, W_OK) || strlen(dir) > PATH_MAX - 64)
		return;
	snprintf(x->group, sizeof(x->group), "%.*s", PATH_MAX - 64, dir);
	x->v2 = is_v2;
}

/* A name for control groups, noted so that none is left; "" where this user can
 * make none. */
static void choose_group(struct bench *b, struct state *x)
{
	char *end;

	/* Use version 2 if there is one, also beside one with controllers. */
	groups_visit("", "", take_place, x);
	groups_visit("", "memory", take_place, x);
	if (!x->group[0])
		return;
	end = x->group + strlen(x->group);
	snprintf(end, 64, "/" GUARD_CGROUP "box-%016llx",
		 (unsigned long long)bench_random(b));
	bench_guard(b, "cgroup", x->group);
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const char *dir;

	if (geteuid())
		return bench_skip(b, "needs root");
	for (int i = 0; i < BOX_STEPS; i++)
		if (ALL & 1u << i)
			s->part[i] = bench_find(b, "part=%s", steps[i].name);
	dir = bench_scratch(b);
	if (!realpath(dir, s->dir) || strchr(s->dir, ','))
		return bench_skip(b, "overlay cannot have %s", dir);
	if (unshare(CLONE_NEWNET))
		return bench_skip(b, "a network namespace: %s",
				  strerror(errno));
	s->page = partner_share(sizeof(*s->page));
	if (!s->page)
		return bench_fail(b, errno, "map a shared page");
	s->method = bench_timer(b)->method;
	choose_group(b, s);
	return make_places(b, s);
}

static struct plan plan_of(const struct bench_case *c)
{
	struct plan p = { .steps = ALL, .flags = SIX };

	if (case_has(c, "clone")) {
		p.flags = CASE_OF(c, "clone", spaces)->flags;
		p.steps = BOX(clone) | BOX(hand_over) | BOX(exit);
		p.step = BOX_clone;
		if (p.flags & CLONE_INTO_CGROUP)
			p.steps |= BOX(cgroup_mkdir) | BOX(cgroup_rmdir);
		if (p.flags & CLONE_NEWNET)
			p.steps |= BOX(veth) | BOX(net_gone);
		return p;
	}
	p.step = case_is(c, "whole", "run")	  ? BOX_cgroup_rmdir
		 : case_is(c, "whole", "awaited") ? BOX_net_gone
		 : case_is(c, "part", "exit")	  ? BOX_exit
						  : BOX_STEPS;
	p.together = p.step == BOX_cgroup_rmdir || p.step == BOX_net_gone;
	if (p.step == BOX_exit)
		p.steps ^= BOX(run) | BOX(exit);
	return p;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct plan *p = &s->plan;

	s->plan = plan_of(c);
	if (p->steps & BOX(cgroup_mkdir)) {
		if (!s->group[0])
			return bench_skip(b, "no control group that this user "
					     "may make others in");
		bench_fact(b, c, "cgroup_version", s->v2 ? 2 : 1);
	}
	if (p->flags & CLONE_INTO_CGROUP && !s->v2)
		return bench_skip(b, "needs control groups of version 2");
	if (p->flags & ~CLONE_INTO_CGROUP && !guard_sees_processes())
		return bench_skip(b, "needs /proc, and of this PID namespace, "
				     "which tells what namespaces a process "
				     "has");
	return 0;
}

/* Record a container whose parts are rows; the sum is without later steps. */
static void record_parts(struct bench *b, const struct state *s,
			 const struct bench_case *c)
{
	const uint64_t *ticks = s->page->ticks;
	uint64_t sum = 0;

	for (int i = 0; i < BOX_STEPS; i++)
		if (s->part[i]) {
			bench_record(b, s->part[i], ticks[i]);
			sum += i == BOX_net_gone ? 0 : ticks[i];
		}
	bench_record(b, c, sum);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct plan *p = &s->plan;
	const struct page *page = s->page;
	const int err = make(s);

	/* A kernel without it, or without its flag. */
	if (err == -EINVAL)
		return bench_skip(b, "%s: %s", steps[page->failed].name,
				  strerror(-err));
	if (err)
		return bench_fail(b, -err, "%s", steps[page->failed].name);
	if (p->step == BOX_STEPS)
		record_parts(b, s, c);
	else
		bench_record(b, c,
			     p->together ? page->all_ticks
					 : page->ticks[p->step]);
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	const struct state *s = state;
	const struct plan *p = &s->plan;
	const bool *seen = s->page->seen;

	bench_proof(b, c, "ended_well", 1, !s->status);
	if (p->step < BOX_STEPS && !p->together)
		bench_proof(b, c, "in_effect", 1, seen[p->step]);
	for (int i = 0; i < BOX_STEPS; i++)
		if (p->step == BOX_STEPS && s->part[i]) {
			bench_proof(b, s->part[i], "in_effect", 1, seen[i]);
			bench_proof(b, c, "in_effect", 1, seen[i]);
		}
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = conclude,
};
