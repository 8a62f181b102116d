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

#define SIX                                                         \
	(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
	 CLONE_NEWUTS | CLONE_NEWCGROUP)

/* The steps of a run, each of which needs those before it. */
#define ALL                                                                   \
	(BOX(MKDIR) | BOX(CLONE) | BOX(ATTACH) | BOX(VETH) | BOX(HAND_OVER) | \
	 BOX(PRIVATE) | BOX(OVERLAY) | BOX(PROC) | BOX(PIVOT) |               \
	 BOX(FIRST_WRITE) | BOX(HOSTNAME) | BOX(RUN) | BOX(RMDIR) |           \
	 BOX(NET_GONE))

static const char points[] =
	"whole={run,awaited,parts}; part=exit;"
	"clone={none,mnt,pid,net,ipc,uts,user,cgroup,time,six,into_cgroup};"
	"setns={mnt,pid,net,ipc,uts,cgroup,time};"
	"is switches;"
	"part=$parts; is derived of=[whole=parts !part];"
	"whole={crun,runc}; is switches; needs $crun if whole=crun;"
	"needs $runc if whole=runc;"
	"whole=rest; is switches;"
	"rest := run * (1 - parts_over_run:(parts / run))";

/* The program of a container ends with the number of its arguments. */
#define ARGUMENTS     "\"one\",\"two\",\"three\""
#define ARGUMENTS_SAY 3

struct state {
	struct box box;
	const struct bench_case *part[BOX_STEPS];
	/* Of a container runtime (crun, runc), whose bundle is in the directory
	 * of the box: its program, the container's name and its end. */
	char program[PATH_MAX], name[64];
	int status;
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

/* All zero: of what has its samples from elsewhere, or is a runtime's. */
static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const char *clone = case_str(c, "clone"), *space = case_str(c, "setns");
	struct box_plan *p = c->data;

	if (clone || space) {
		p->steps = BOX(CLONE) | BOX(HAND_OVER) | BOX(EXIT);
		p->step = space ? BOX_SETNS : BOX_CLONE;
		p->flags = box_space(space ? space : clone);
		if (case_is(c, "clone", "six"))
			p->flags = SIX;
		if (case_is(c, "clone", "into_cgroup"))
			p->flags = CLONE_INTO_CGROUP;
		if (p->flags & CLONE_INTO_CGROUP)
			p->steps |= BOX(MKDIR) | BOX(RMDIR);
		if (space)
			p->steps |= BOX(UNSHARE) | BOX(SETNS);
		else if (p->flags & CLONE_NEWNET)
			p->steps |= BOX(VETH) | BOX(NET_GONE);
	} else if (!c->derived && !case_is(c, "whole", "crun") &&
		   !case_is(c, "whole", "runc")) {
		p->steps = ALL;
		p->flags = SIX;
		p->step = case_is(c, "whole", "run")	   ? BOX_RMDIR
			  : case_is(c, "whole", "awaited") ? BOX_NET_GONE
			  : case_is(c, "part", "exit")	   ? BOX_EXIT
							   : BOX_STEPS;
		p->together = p->step == BOX_RMDIR || p->step == BOX_NET_GONE;
		if (p->step == BOX_EXIT)
			p->steps ^= BOX(RUN) | BOX(EXIT);
	}
	return true;
}

static int cases(struct bench *b, void *state)
{
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
	return 0;
}

/* Directories, the program and a file of one page for the overlay. */
static int make_places(struct bench *b, struct box *x)
{
	static const char *const names[] = { "lower", "lower/proc", "lower/dev",
					     "upper", "work",	    "merged" };
	static const char page[4096] = "x";
	const char *path;
	int fd;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path = box_path(x, names[i]);
		if (mkdir(path, 0755))
			return bench_fail(b, errno, "make %s", path);
	}
	path = box_path(x, "lower/file");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		return bench_fail(b, errno, "write %s", path);
	close(fd);
	return proc_copy_program(b, "oscost-true", box_path(x, "lower/true"));
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
	s->box.page = partner_share(sizeof(*s->box.page));
	if (!s->box.page)
		return bench_fail(b, errno, "map a shared page");
	s->box.method = bench_timer(b)->method;
	choose_group(b, &s->box);
	return make_places(b, &s->box);
}

static const char config[] =
	"{\"ociVersion\":\"1.0.2\",\"process\":{\"args\":[\"/true\"," ARGUMENTS
	"],\"cwd\":\"/\",\"user\":{\"uid\":0,\"gid\":0}},"
	"\"root\":{\"path\":\"lower\"},\"hostname\":\"oscost\","
	"\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\","
	"\"source\":\"proc\"}],\"linux\":{\"cgroupsPath\":\"/%s\","
	"\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"network\"},"
	"{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"mount\"},"
	"{\"type\":\"cgroup\"}]}}\n";

/* A runtime that is killed leaves its group, in each tree that there is. */
static void note_groups(struct bench *b, const char *name)
{
	char *mounts = sysfile_text("/proc/self/mountinfo"), *rest = mounts;
	char path[PATH_MAX];
	struct mount m;

	while (mount_next(&rest, &m))
		if (!strncmp(m.type, "cgroup", 6)) {
			snprintf(path, sizeof(path), "%s/%s", m.point, name);
			bench_guard(b, "cgroup", path);
		}
	free(mounts);
}

/* Make the bundle, of the root lower/, and note what may be left of it. */
static int open_runtime(struct bench *b, struct state *s, const char *runtime)
{
	const char *path = box_path(&s->box, "config.json");
	FILE *f = fopen(path, "we");

	find(runtime, s->program);
	snprintf(s->name, sizeof(s->name), GUARD_CGROUP "run-%016llx",
		 (unsigned long long)bench_random(b));
	if (!f || fprintf(f, config, s->name) < 0 || fclose(f))
		return bench_fail(b, errno, "write %s", path);
	note_groups(b, s->name);
	return 0;
}

/* Ends with the status of the runtime. */
static int attempt(struct partner *p, void *arg)
{
	struct state *s = arg;
	struct box_page *page = s->box.page;
	const int said = open(box_path(&s->box, "said"),
			      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *const argv[] = {
		s->program, "--root", (char *)box_path(&s->box, "record"),
		"run",	    "-b",     s->box.dir,
		s->name,    NULL
	};
	int status;

	if (dup2(quiet, 0) || dup2(quiet, 1) != 1 || dup2(said, 2) != 2 ||
	    unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	umount2("/sys/fs/cgroup/unified", MNT_DETACH); /* where it is */
	TIMER_INTERVAL(s->box.method, page->all_ticks,
		       status = proc_vfork(argv));
	return status;
}

/* One `run` of it, in a process that does not see the empty version 2 tree of a
 * system with control groups of version 1, which crun refuses. */
static int run_runtime(struct bench *b, struct state *s)
{
	struct partner partner = { 0 };
	char text[160];
	const int err = partner_start(b, &partner, PARTNER_PROCESS,
				      bench_cpu(b), attempt, s);

	if (err)
		return err;
	s->status = partner_finish(&partner);
	if (s->status < 0)
		return partner_failed(b, s->status);
	if (!s->status || s->status == ARGUMENTS_SAY)
		return 0;
	sysfile_line(text, sizeof(text), "%s/said", s->box.dir);
	return bench_skip(b, "%s ends with status %d here: %s", s->program,
			  s->status, text);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct box_plan *p = c->data;

	if (!p->steps)
		return open_runtime(b, s, case_str(c, "whole"));
	if (p->steps & BOX(MKDIR)) {
		if (!s->box.group[0])
			return bench_skip(b, "no control group that this user "
					     "may make others in");
		bench_fact(b, c, "cgroup_version", s->box.v2 ? 2 : 1);
	}
	if (p->flags & CLONE_INTO_CGROUP && !s->box.v2)
		return bench_skip(b, "needs control groups of version 2");
	if (p->flags & ~CLONE_INTO_CGROUP && !guard_sees_processes())
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

/* Of a container whose parts are rows; the sum is without what comes after. */
static void record_parts(struct bench *b, const struct state *s,
			 const struct bench_case *c)
{
	const uint64_t *ticks = s->box.page->ticks;
	uint64_t sum = 0;

	for (int i = 0; i < BOX_STEPS; i++)
		if (s->part[i]) {
			bench_record(b, s->part[i], ticks[i]);
			sum += i == BOX_NET_GONE ? 0 : ticks[i];
		}
	bench_record(b, c, sum);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct box_plan *p = c->data;
	const struct box_page *page = s->box.page;
	const int err = p->steps ? box_make(&s->box, p) : run_runtime(b, s);

	if (err)
		return p->steps ? refused(b, box_step_name(page->failed), -err)
				: err;
	if (p->step == BOX_STEPS)
		record_parts(b, s, c);
	else
		bench_record(b, c,
			     p->together || !p->steps ? page->all_ticks
						      : page->ticks[p->step]);
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct state *s = state;
	const struct box_plan *p = c->data;
	const bool *seen = s->box.page->seen;

	if (!p->steps) {
		bench_proof(b, c, "programs_executed", 1,
			    s->status == ARGUMENTS_SAY);
		return 0;
	}
	bench_proof(b, c, "ended_well", 1, !s->box.status);
	if (p->step < BOX_STEPS && !p->together)
		bench_proof(b, c, "in_effect", 1, seen[p->step]);
	for (int i = 0; i < BOX_STEPS; i++)
		if (p->step == BOX_STEPS && s->part[i]) {
			bench_proof(b, s->part[i], "in_effect", 1, seen[i]);
			bench_proof(b, c, "in_effect", 1, seen[i]);
		}
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "container",
	.needs = BENCH_NEED_ROOT,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct box_plan),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = conclude,
};
