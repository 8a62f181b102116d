/* SPDX-License-Identifier: MIT */
#ifndef BOX_H
#define BOX_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "timer.h"

/*
 * A container, made and ended as a container runtime does it, step by step.
 * The measuring process makes it; the steps from BOX_PRIVATE on are those of
 * its first process.
 */
enum box_step {
	BOX_MKDIR, /* the control group */
	BOX_CLONE,
	BOX_ATTACH,
	BOX_VETH,
	BOX_HAND_OVER, /* a byte in a pipe, and the switch to the first process
			*/
	BOX_PRIVATE,
	BOX_OVERLAY,
	BOX_PROC,
	BOX_PIVOT,
	BOX_FIRST_WRITE, /* to a file of the lower directory, which is copied */
	BOX_HOSTNAME,
	BOX_UNSHARE, /* for BOX_SETNS, which takes it back */
	BOX_SETNS,
	BOX_RUN, /* a program, its end, and all namespaces' but the network's */
	BOX_EXIT, /* in its stead: no program */
	BOX_RMDIR,
	BOX_NET_GONE,
	BOX_STEPS
};

#define BOX(step) (1u << BOX_##step)

/* One way of making it, and what of it is timed. */
struct box_plan {
	unsigned int steps; /* BOX() | ... */
	uint64_t flags;	    /* of clone3(), setns() */
	bool together;	    /* no step is looked at, and all are timed... */
	int step; /* ...up to this one; else it alone; BOX_STEPS: each */
};

/* What both processes write. */
struct box_page {
	uint64_t begin, ticks[BOX_STEPS]; /* raw */
	uint64_t all_begin, all_ticks;
	bool seen[BOX_STEPS]; /* that it has done what it should */
	int failed, err;      /* which step, why (positive errno) */
};

struct box {
	enum timer_method method;
	char dir[PATH_MAX];   /* with lower/, upper/, work/, merged/ */
	char group[PATH_MAX]; /* "": no control group can be made */
	bool v2;
	struct box_page *page;
	const struct box_plan *plan;
	pid_t pid;
	int gate[2], old, events; /* a pipe; a namespace; of links that go */
	int status;		  /* of the first process */
	char path[PATH_MAX];
};

/* box_path() - of @name in x->dir, until the next one is asked for. */
const char *box_path(struct box *x, const char *name);

/* box_step_name() - "cgroup_mkdir", ...; box_space() - the flag of namespaces
 * of a kind ("mnt", ...), 0 if there is none of this name. */
const char *box_step_name(enum box_step step);
uint64_t box_space(const char *name);

/**
 * box_make() - make a container by @plan, end it, and leave nothing of it.
 * x->page gets the times; x->status is 0 if its program, or it, ended well.
 *
 * Return: 0, or -errno with page->failed.
 */
int box_make(struct box *x, const struct box_plan *plan);

#endif
