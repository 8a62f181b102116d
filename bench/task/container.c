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
#include <linux/sched.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "guard.h"
#include "lib/box.h"
#include "lib/box_link.h"
#include "lib/box_places.h"
#include "lib/box_runtime.h"
#include "partner.h"

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

struct state {
	struct box box;
	struct box_runtime runtime;
	const struct point *point; /* of which a case is being added */
	const struct bench_case *part[BOX_STEPS];
};

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
	const char *parts[BOX_STEPS];
	size_t n = 0;

	for (int i = 0; i < BOX_STEPS; i++)
		if (ALL & 1u << i)
			parts[n++] = box_step_name(i);
	bench_set_names(b, "parts", parts, sizeof(parts[0]), n);
	bench_need(b, "crun", box_runtime_missing("crun"));
	bench_need(b, "runc", box_runtime_missing("runc"));
	for (s->point = points; s->point < points + POINTS; s->point++)
		bench_points(b, s->point->points);
	s->point = NULL;
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const char *dir = bench_scratch(b);

	s->box.events = s->box.old = s->runtime.watch = -1;
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
	s->box.events = box_link_events();
	if (s->box.events < 0)
		return bench_fail(b, -s->box.events, "netlink socket");
	s->box.page = partner_share(sizeof(*s->box.page));
	if (!s->box.page)
		return bench_fail(b, errno, "map a shared page");
	s->box.method = bench_timer(b)->method;
	box_choose_group(b, &s->box);
	return box_places(b, &s->box);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct point *p = c->arg;

	if (!p)
		return box_runtime_open(b, &s->runtime, case_str(c, "whole"),
					s->box.dir);
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

/* What a system may lack or forbid. */
static int refused(struct bench *b, const char *what, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
	case EINVAL:
	case ENODEV:
	case ENOSYS:
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
	int err;

	if (!p) {
		uint64_t ticks;

		err = box_runtime_run(b, &s->runtime, s->box.method, &ticks);
		if (!err)
			bench_record(b, c, ticks);
		return err;
	}
	err = box_make(&s->box, &p->plan);
	if (err)
		return refused(b, box_step_name(s->box.page->failed), -err);
	record(b, s, c, p);
	return 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct state *s = state;
	const struct point *p = c->arg;

	if (!p) {
		bench_proof(b, c, "programs_executed", 1,
			    box_runtime_seen(&s->runtime));
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

	box_runtime_close(&s->runtime);
	return 0;
}

static int derive(struct bench *b, void *state)
{
	const double run = bench_value(b, bench_find(b, "whole=run"));
	const double parts = bench_value(b, bench_find(b, "whole=parts"));

	if (isfinite(run - parts))
		bench_fact(b, bench_find(b, "whole=rest"), "parts_over_run",
			   parts / run);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	box_runtime_close(&s->runtime);
	partner_unshare(s->box.page, sizeof(*s->box.page));
	if (s->box.events >= 0)
		close(s->box.events);
}

const struct bench_desc bench_desc = {
	.name = "container",
	.needs = BENCH_NEED_ROOT,
	.state_size = sizeof(struct state),
	.points = "part=$parts; is derived of=[whole=parts !part];"
		  "whole={crun,runc}; needs $crun if whole=crun;"
		  "needs $runc if whole=runc;"
		  "whole=rest; rest := run - parts",
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
