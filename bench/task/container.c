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
 * it, as the kernel then says; whole=awaited is the run and this.
 *
 * clone= rows: clone3() into one new namespace, none, the six, or into a
 * control group (CLONE_INTO_CGROUP, version 2), as its caller sees it. setns=
 * rows: a process goes back into the namespace that it came from.
 *
 * whole=crun and whole=runc are these programs, where they are installed, with
 * the like container but for the overlay and the devices: from vfork to the
 * reaping. They also read and check a configuration, keep a record, and are
 * programs that must be started.
 *
 * This process has a network namespace of its own meanwhile, so that no device
 * of the machine's is added or removed, and all goes with it if it is killed.
 *
 * Measures: ns for one event of its kind, on one CPU.
 * Includes: for cgroup_attach opening and closing the file, for veth the
 *           socket.
 * After:    crun run, runc run; lmbench has none.
 * Needs:    root; overlay and veth for some rows; a scratch directory (--dir)
 *           that overlay takes as its upper directory; crun, runc.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "groups.h"
#include "guard.h"
#include "lib/box.h"
#include "lib/proc_copy.h"
#include "lib/proc_spawn.h"
#include "partner.h"
#include "sysfile.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define SIX                                                         \
	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
	 CLONE_NEWUTS | CLONE_NEWCGROUP)

/* The parts of a run, in order; each needs those before it. */
#define PARTS                                                                 \
	(BOX(MKDIR) | BOX(CLONE) | BOX(ATTACH) | BOX(VETH) | BOX(HAND_OVER) | \
	 BOX(PRIVATE) | BOX(OVERLAY) | BOX(PROC) | BOX(PIVOT) |               \
	 BOX(FIRST_WRITE) | BOX(HOSTNAME) | BOX(RUN) | BOX(RMDIR))
#define ALL   (PARTS | BOX(NET_GONE))
#define PLAIN (BOX(CLONE) | BOX(HAND_OVER) | BOX(EXIT))

static const struct point {
	const char *points;
	struct box_plan plan;
	int step; /* the one that is recorded; BOX_STEPS: all */
} points[] = {
	{ "whole=run", { ALL, SIX, false, BOX_RMDIR }, BOX_STEPS },
	{ "whole=awaited", { ALL, SIX, false, BOX_NET_GONE }, BOX_STEPS },
	{ "whole=parts", { ALL, SIX, true, 0 }, BOX_STEPS },
	{ "part=exit",
	  { (ALL & ~BOX(RUN)) | BOX(EXIT), SIX, true, 0 },
	  BOX_EXIT },
#define CLONE(name, more, flags)                                             \
	{                                                                    \
		"clone=" name, { PLAIN | (more), flags, true, 0 }, BOX_CLONE \
	}
	CLONE("none", 0, 0),
	CLONE("mnt", 0, CLONE_NEWNS),
	CLONE("pid", 0, CLONE_NEWPID),
	CLONE("net", BOX(VETH) | BOX(NET_GONE), CLONE_NEWNET),
	CLONE("ipc", 0, CLONE_NEWIPC),
	CLONE("uts", 0, CLONE_NEWUTS),
	CLONE("user", 0, CLONE_NEWUSER),
	CLONE("cgroup", 0, CLONE_NEWCGROUP),
	CLONE("time", 0, CLONE_NEWTIME),
	CLONE("six", BOX(VETH) | BOX(NET_GONE), SIX),
	CLONE("into_cgroup", BOX(MKDIR) | BOX(RMDIR), CLONE_INTO_CGROUP),
#define SETNS(name, flag)                                                     \
	{                                                                     \
		"setns=" name,                                                \
			{ PLAIN | BOX(UNSHARE) | BOX(SETNS), flag, true, 0 }, \
			BOX_SETNS                                             \
	}
	SETNS("mnt", CLONE_NEWNS),
	SETNS("pid", CLONE_NEWPID),
	SETNS("net", CLONE_NEWNET),
	SETNS("ipc", CLONE_NEWIPC),
	SETNS("uts", CLONE_NEWUTS),
	SETNS("cgroup", CLONE_NEWCGROUP),
	SETNS("time", CLONE_NEWTIME),
};

#define POINTS (sizeof(points) / sizeof(points[0]))
#define SUM    2

/* A container runtime (crun, runc), whose bundle is in the directory of a box.
 * All zero: closed. */
struct runtime {
	const struct box *box;
	char program[PATH_MAX], record[PATH_MAX];
	char name[64]; /* of the container and of its control group */
	int watch;     /* on the program in the bundle */
	int said;      /* a file in memory with its messages */
};

struct state {
	struct box box;
	struct runtime runtime;
	const struct point *point; /* of which a case is being added */
	const struct bench_case *part[BOX_STEPS];
};

static bool find(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = {
		"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
		"/usr/bin",	   "/sbin",	     "/bin",
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX, "%s/%s", places[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct state *s = state;

	c->arg = s->point;
	c->switches = s->point || case_has(c, "whole");
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	static const char absent[] = "it is not installed";
	const char *parts[BOX_STEPS];
	char path[PATH_MAX];
	size_t n = 0;

	for (int i = 0; i < BOX_STEPS; i++)
		if (ALL & 1u << i)
			parts[n++] = box_step_name(i);
	bench_set_names(b, "parts", parts, sizeof(parts[0]), n);
	bench_need(b, "crun", find("crun", path) ? NULL : absent);
	bench_need(b, "runc", find("runc", path) ? NULL : absent);
	for (s->point = points; s->point < points + POINTS; s->point++)
		bench_points(b, s->point->points);
	s->point = NULL;
	return 0;
}

/* Directories, the program and a file of one page for the overlay. */
static int make_places(struct bench *b, struct box *x)
{
	static const char *const names[] = { "lower", "lower/proc", "lower/dev",
					     "upper", "work",	    "merged" };
	static const char page[4096] = "x";
	char path[PATH_MAX];
	int fd, err;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		box_path(x, names[i], path);
		if (mkdir(path, 0755))
			return bench_fail(b, errno, "make %s", path);
	}
	box_path(x, "lower/file", path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return bench_fail(b, errno, "write %s", path);
	close(fd);
	box_path(x, "lower/true", path);
	err = proc_copy_program("oscost-true", path);
	return err ? bench_skip(b, "oscost-true cannot be put at %s: %s", path,
				strerror(-err))
		   : 0;
}

/* The innermost group in which this process may make others. */
static void take_place(void *arg, const char *dir, bool is_v2)
{
	struct box *x = arg;

	if (x->group[0] || access(dir, W_OK) || strlen(dir) > PATH_MAX - 64)
		return;
	snprintf(x->group, sizeof(x->group), "%.*s", PATH_MAX - 64, dir);
	x->v2 = is_v2;
}

/* A name for control groups, noted so that none is left; "" where this user can
 * make none. */
static void choose_group(struct bench *b, struct box *x)
{
	char *end;

	/* Of version 2 if there is one, also beside one with controllers. */
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
	const char *dir = bench_scratch(b);

	s->box.events = s->box.old = -1;
	for (int i = 0; i < BOX_STEPS; i++)
		if (ALL & 1u << i)
			s->part[i] = bench_find(b, "part=%s", box_step_name(i));
	if (!dir)
		return -1;
	if (!realpath(dir, s->box.dir) || strchr(s->box.dir, ','))
		return bench_skip(b, "overlay cannot have %s", dir);
	if (unshare(CLONE_NEWNET))
		return bench_skip(b, "a network namespace: %s",
				  strerror(errno));
	s->box.events = box_events();
	if (s->box.events < 0)
		return bench_fail(b, errno, "netlink socket");
	s->box.page = partner_share(sizeof(*s->box.page));
	if (!s->box.page)
		return bench_fail(b, errno, "map a shared page");
	s->box.method = bench_timer(b)->method;
	choose_group(b, &s->box);
	return make_places(b, &s->box);
}

static const char config[] =
	"{\"ociVersion\":\"1.0.2\",\"process\":{\"args\":[\"/true\"],"
	"\"cwd\":\"/\",\"user\":{\"uid\":0,\"gid\":0}},"
	"\"root\":{\"path\":\"lower\"},\"hostname\":\"oscost\","
	"\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\","
	"\"source\":\"proc\"}],\"linux\":{\"cgroupsPath\":\"/%s\","
	"\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"network\"},"
	"{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"mount\"},"
	"{\"type\":\"cgroup\"}]}}\n";

/* A runtime that is killed leaves its group, in each tree that there is. */
static void note_groups(struct bench *b, const struct runtime *r)
{
	char *mounts = sysfile_text("/proc/self/mountinfo"), *rest = mounts;
	char path[PATH_MAX];
	struct mount m;

	while (mount_next(&rest, &m))
		if (!strncmp(m.type, "cgroup", 6)) {
			snprintf(path, sizeof(path), "%s/%s", m.point, r->name);
			bench_guard(b, "cgroup", path);
		}
	free(mounts);
}

/* Make the bundle, of the root lower/, and note what may be left of it. */
static int open_runtime(struct bench *b, struct runtime *r, const char *name,
			const struct box *x)
{
	char path[PATH_MAX];
	FILE *f;

	find(name, r->program);
	r->box = x;
	snprintf(r->name, sizeof(r->name), GUARD_CGROUP "run-%016llx",
		 (unsigned long long)bench_random(b));
	box_path(x, "record", r->record);
	box_path(x, "config.json", path);
	f = fopen(path, "we");
	if (!f || fprintf(f, config, r->name) < 0 || fclose(f))
		return bench_fail(b, errno, "write %s", path);
	note_groups(b, r);
	box_path(x, "lower/true", path);
	r->said = memfd_create("said", MFD_CLOEXEC);
	r->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (r->said < 0 || r->watch < 0 ||
	    inotify_add_watch(r->watch, path, IN_OPEN) < 0)
		return bench_skip(b, "no watch on %s: %s", path,
				  strerror(errno));
	return 0;
}

/* Ends with the status of the runtime. */
static int attempt(struct partner *p, void *arg)
{
	struct runtime *r = arg;
	char *const argv[] = { r->program, "--root", r->record,
			       "run",	   "-b",     (char *)r->box->dir,
			       r->name,	   NULL };
	const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct box_page *page = r->box->page;
	int status;

	if (ftruncate(r->said, 0) || dup2(quiet, 0) || dup2(quiet, 1) != 1 ||
	    dup2(r->said, 2) != 2 || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	umount2("/sys/fs/cgroup/unified", MNT_DETACH); /* where it is */
	TIMER_INTERVAL(r->box->method, page->all_ticks,
		       status = proc_vfork(argv));
	return status;
}

/* One `run` of it, in a process that does not see the empty version 2 tree of a
 * system with control groups of version 1, which crun refuses. */
static int run_runtime(struct bench *b, struct runtime *r)
{
	struct partner partner = { 0 };
	char text[160];
	int status = partner_start(b, &partner, PARTNER_PROCESS, bench_cpu(b),
				   attempt, r);

	if (status)
		return status;
	status = partner_finish(&partner);
	if (status <= 0)
		return status ? partner_failed(b, status) : 0;
	sysfile_again(r->said, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return bench_skip(b, "%s ends with status %d here: %s", r->program,
			  status, text);
}

/* Whether the program in the bundle was opened since this was last asked. */
static bool runtime_seen(struct runtime *r)
{
	char events[4096];
	bool seen = false;

	while (read(r->watch, events, sizeof(events)) > 0)
		seen = true;
	return seen;
}

static void close_runtime(struct runtime *r)
{
	if (r->watch > 0)
		close(r->watch);
	if (r->said > 0)
		close(r->said);
	r->watch = r->said = 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct point *p = c->arg;

	if (!p)
		return open_runtime(b, &s->runtime, case_str(c, "whole"),
				    &s->box);
	if (p->plan.steps & BOX(MKDIR)) {
		if (!s->box.group[0])
			return bench_skip(b, "no control group that this user "
					     "may make others in");
		bench_fact(b, c, "cgroup_version", s->box.v2 ? 2 : 1);
	}
	if (p->plan.flags & CLONE_INTO_CGROUP && !s->box.v2)
		return bench_skip(b, "needs control groups of version 2");
	if (p->plan.flags & ~CLONE_INTO_CGROUP && !guard_sees_processes())
		return bench_skip(b, "needs /proc, and of this PID namespace, "
				     "which tells what namespaces a process "
				     "has");
	return 0;
}

/* What a system may lack, besides what it forbids. */
static int refused(struct bench *b, const char *what, int err)
{
	switch (err) {
	case EINVAL:
	case ENODEV:
	case ENOSPC:
	case EOPNOTSUPP:
	case EROFS:
		return bench_skip(b, "%s: %s", what, strerror(err));
	default:
		return bench_fail(b, err, "%s", what);
	}
}

static void record(struct bench *b, struct state *s, const struct bench_case *c,
		   const struct point *p)
{
	const struct box_page *page = s->box.page;
	uint64_t sum = 0;

	if (p != &points[SUM]) {
		bench_record(b, c,
			     p->plan.each ? page->ticks[p->step]
					  : page->all_ticks);
		return;
	}
	for (int i = 0; i < BOX_STEPS; i++)
		if (s->part[i]) {
			bench_record(b, s->part[i], page->ticks[i]);
			sum += i == BOX_NET_GONE ? 0 : page->ticks[i];
		}
	bench_record(b, c, sum);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct point *p = c->arg;
	const int err =
		p ? box_make(&s->box, &p->plan) : run_runtime(b, &s->runtime);

	if (err && p)
		return refused(b, box_step_name(s->box.page->failed), -err);
	if (!err && p)
		record(b, s, c, p);
	else if (!err)
		bench_record(b, c, s->box.page->all_ticks);
	return err;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const struct point *p = c->arg;

	if (!p) {
		bench_proof(b, c, "programs_executed", 1,
			    runtime_seen(&s->runtime));
		return 0;
	}
	bench_proof(b, c, "ended_well", 1, !s->box.status);
	if (p->step < BOX_STEPS)
		bench_proof(b, c, "in_effect", 1, s->box.page->seen[p->step]);
	for (int i = 0; i < BOX_STEPS; i++)
		if (p == &points[SUM] && s->part[i]) {
			bench_proof(b, s->part[i], "in_effect", 1,
				    s->box.page->seen[i]);
			bench_proof(b, c, "in_effect", 1, s->box.page->seen[i]);
		}
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	close_runtime(&s->runtime);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	close_runtime(&s->runtime);
	partner_unshare(s->box.page, sizeof(*s->box.page));
	if (s->box.events > 0)
		close(s->box.events);
}

const struct bench_desc bench_desc = {
	.name = "container",
	.needs = BENCH_NEED_ROOT,
	.state_size = sizeof(struct state),
	.points =
		"part=$parts; is derived of=[whole=parts !part];"
		"whole={crun,runc}; needs $crun if whole=crun;"
		"needs $runc if whole=runc;"
		"whole=rest; rest := run * (1 - parts_over_run:(parts / run))",
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
