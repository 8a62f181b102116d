/* SPDX-License-Identifier: MIT */
#include "switch_partner.h"

#include <errno.h>

static int serve(struct partner *p, void *arg)
{
	switch_link_serve(arg);
	return 0;
}

struct talk {
	const struct switch_link *link;
	enum switch_message message;
	uint64_t trips;
};

static int say_it(void *arg)
{
	const struct talk *t = arg;

	return switch_link_say(t->link, t->message);
}

static int go_there(void *arg)
{
	const struct talk *t = arg;

	return switch_link_trip(t->link, t->trips);
}

static int say(struct bench *b, struct switch_partner *p,
	       enum switch_message message)
{
	struct talk t = { .link = &p->link, .message = message };
	const int err = partner_guard(say_it, &t);

	return err ? partner_failed(b, err) : 0;
}

int switch_partner_start(struct bench *b, struct switch_partner *p,
			 enum switch_way way, bool thread, int cpu)
{
	int err;

	*p = (struct switch_partner) { 0 };
	err = switch_link_open(&p->link, way, thread);
	if (err)
		return partner_refused(b, -err, switch_way_name(way));
	err = partner_start(b, &p->partner,
			    thread ? PARTNER_THREAD : PARTNER_PROCESS, cpu,
			    serve, &p->link);
	if (!err)
		err = say(b, p, SWITCH_REPORT);
	if (err)
		return err;
	p->far_begin = p->link.shared->far_side;
	switch_account_read(&p->near_begin);
	return 0;
}

int switch_partner_trip(struct bench *b, struct switch_partner *p,
			uint64_t iters)
{
	struct talk t = { .link = &p->link, .trips = iters };
	const int err = partner_guard(go_there, &t);

	return err ? partner_failed(b, err) : 0;
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
	};
	return 0;
}

void switch_partner_stop(struct switch_partner *p)
{
	/* A condition variable's wait is not interrupted. */
	if (p->partner.page && p->link.threads)
		switch_link_say(&p->link, SWITCH_STOP);
	partner_stop(&p->partner);
	switch_link_close(&p->link);
}
