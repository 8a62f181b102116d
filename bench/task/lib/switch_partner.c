/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "partner.h"
#include "proc_spawn.h"
#include "switch_guard.h"
#include "switch_partner.h"

static int died(struct bench *b)
{
	return bench_fail(b, 0, "the partner died");
}

/* Always serves, so that the near side gets its answer and reads the error. */
static void serve_pinned(struct switch_partner *p)
{
	p->link.shared->far_side.error = -bench_pin(p->cpu);
	switch_link_serve(&p->link);
}

static void *thread_main(void *arg)
{
	serve_pinned(arg);
	return NULL;
}

static int launch(struct bench *b, struct switch_partner *p, bool thread)
{
	int err;

	if (thread) {
		err = pthread_create(&p->thread, NULL, thread_main, p);
		p->has_thread = !err;
		return err ? partner_refused(b, err, "make a thread") : 0;
	}
	p->pid = bench_fork(b);
	if (p->pid == 0) {
		/* Ctrl-C goes to all of a terminal's group: the near side
		 * decides when to end. */
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		signal(SIGCHLD, SIG_DFL);
		serve_pinned(p);
		_exit(0);
	}
	return p->pid < 0 ? partner_refused(b, errno, "make a process") : 0;
}

static int say(struct bench *b, struct switch_partner *p,
	       enum switch_message message)
{
	int err;

	getcontext(&switch_guard_exit);
	if (switch_guard_arm())
		return died(b);
	err = switch_link_say(&p->link, message);
	switch_guard_disarm();
	return err ? bench_fail(b, -err, "talk to the partner") : 0;
}

int switch_partner_start(struct bench *b, struct switch_partner *p,
			 enum switch_way way, bool thread, int cpu)
{
	int err;

	*p = (struct switch_partner) { .cpu = cpu };
	switch_guard_reset();
	err = switch_link_open(&p->link, way, thread);
	if (err)
		return partner_refused(b, -err, switch_way_name(way));
	err = launch(b, p, thread);
	if (!err)
		err = say(b, p, SWITCH_REPORT);
	if (err)
		return err;
	p->far_begin = p->link.shared->far_side;
	if (p->far_begin.error || p->far_begin.cpu != cpu)
		return bench_fail(b, p->far_begin.error,
				  "the partner is on CPU %d, not %d",
				  p->far_begin.cpu, cpu);
	switch_account_read(&p->near_begin);
	return 0;
}

int switch_partner_trip(struct bench *b, struct switch_partner *p,
			uint64_t iters)
{
	int err;

	getcontext(&switch_guard_exit);
	if (switch_guard_arm())
		return died(b);
	err = switch_link_trip(&p->link, iters);
	switch_guard_disarm();
	return err ? bench_fail(b, -err, "a wrong or no answer") : 0;
}

int switch_partner_park(struct bench *b, struct switch_partner *p)
{
	return p->link.way == SWITCH_YIELD ? say(b, p, SWITCH_REPORT) : 0;
}

int switch_partner_account(struct bench *b, struct switch_partner *p,
			   struct switch_account *both)
{
	struct switch_account near_end;
	const struct switch_account *far_end = &p->link.shared->far_side;
	int err;

	switch_account_read(&near_end);
	err = say(b, p, SWITCH_REPORT);
	if (err)
		return err;
	*both = (struct switch_account) {
		.voluntary = near_end.voluntary - p->near_begin.voluntary +
			     far_end->voluntary - p->far_begin.voluntary,
		.involuntary = near_end.involuntary -
			       p->near_begin.involuntary +
			       far_end->involuntary - p->far_begin.involuntary,
		.cpu = far_end->cpu,
	};
	return 0;
}

void switch_partner_stop(struct switch_partner *p)
{
	if (p->has_thread) {
		if (switch_link_say(&p->link, SWITCH_STOP))
			pthread_cancel(p->thread);
		pthread_join(p->thread, NULL);
		p->has_thread = false;
	}
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		proc_reap(p->pid);
	}
	p->pid = 0;
	switch_link_close(&p->link);
}
