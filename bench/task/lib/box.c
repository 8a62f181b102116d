/* SPDX-License-Identifier: MIT */
#include "box.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

const char *box_step_name(enum box_step step)
{
	return box_steps[step].name;
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
	err = box_steps[i].run(x);
	if (each && i != BOX_HAND_OVER)
		end(x, i);
	if (err) {
		x->page->failed = i;
		x->page->err = -err;
	} else if (each && box_steps[i].seen) {
		x->page->seen[i] = box_steps[i].seen(x);
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

int box_inside(struct box *x)
{
	const struct box_plan *p = x->plan;
	char *const argv[] = { "true", NULL }, *const none[] = { NULL };
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(x->gate[1]);
	if (read(x->gate[0], &byte, 1) != 1)
		return -EPIPE;
	if (p->each)
		end(x, BOX_HAND_OVER);
	x->page->seen[BOX_HAND_OVER] = true;
	if (perform_some(x, BOX_PRIVATE, BOX_SETNS))
		return -EINVAL;
	if (p->each)
		begin(x, p->steps & BOX(RUN) ? BOX_RUN : BOX_EXIT);
	return p->steps & BOX(RUN) ? execve("/true", argv, none) : 0;
}

/* What it wrote is in the upper directory, which is emptied for the next. */
static void take_copy(struct box *x)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/upper/file", PATH_MAX - 64, x->dir);
	x->page->seen[BOX_FIRST_WRITE] = !unlink(path);
}

/* What a plan that failed, or does not have these steps, has left. */
static void clear(struct box *x)
{
	if (x->pid > 0) {
		kill(x->pid, SIGKILL);
		box_steps[BOX_EXIT].run(x);
	}
	if (x->plan->steps & BOX(FIRST_WRITE))
		take_copy(x);
	if (x->plan->steps & BOX(MKDIR))
		rmdir(x->group);
	if (x->plan->steps & BOX(VETH) && !box_steps[BOX_NET_GONE].seen(x))
		box_steps[BOX_NET_GONE].run(x);
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
