/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_PARTNER_H
#define SWITCH_PARTNER_H

#include <stdbool.h>
#include <stdint.h>

#include "partner.h"
#include "switch_link.h"

/* The far side of a link, at work.  All zero: there is none. */
struct switch_partner {
	struct switch_link link;
	struct partner partner;
	struct switch_account near_begin, far_begin;
};

/**
 * switch_partner_start() - make the far side, pinned to @cpu, and see that it
 * answers.
 *
 * Return: 0, or what bench_fail() or bench_skip() gave; switch_partner_stop()
 * is due in either case.
 */
int switch_partner_start(struct bench *b, struct switch_partner *p,
			 enum switch_way way, bool thread, int cpu);

/* switch_partner_trip() - @iters round trips.  Return: 0 or bench_fail(). */
int switch_partner_trip(struct bench *b, struct switch_partner *p,
			uint64_t iters);

/* switch_partner_park() - wait until the far side of SWITCH_YIELD sleeps; of
 * no effect for other ways.  Return: 0 or bench_fail(). */
int switch_partner_park(struct bench *b, struct switch_partner *p);

/* switch_partner_account() - context switches since the start, of both sides
 * together.  Return: 0 or bench_fail(). */
int switch_partner_account(struct bench *b, struct switch_partner *p,
			   struct switch_account *both);

/* switch_partner_stop() - end, reap and close; whatever state it is in. */
void switch_partner_stop(struct switch_partner *p);

#endif
