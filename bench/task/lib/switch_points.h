/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_POINTS_H
#define SWITCH_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench.h"
#include "switch_link.h"
#include "switch_ring.h"

/* The rows of context_switch: what they are and how they follow from each
 * other.  The figures are explained in the comment that opens that file. */
extern const char switch_points[];

/* What is done for those that are measured. */
enum switch_figure {
	/* two partners */
	SWITCH_ROUND_TRIP,
	SWITCH_MECHANISM,
	SWITCH_ONE_SHOT,
	/* the ring */
	SWITCH_HOP,
	SWITCH_HOP_MECHANISM,
	SWITCH_HOP_SPREAD,
};

/* The state of a case. */
struct switch_point {
	enum switch_figure figure;
	/* two partners */
	enum switch_way way;
	bool threads;
	enum bench_place place;
	/* the ring */
	struct switch_lap lap;
	unsigned int laps; /* in one event */

	double turns;	    /* round trips or hops that were made, in all */
	double switches;    /* that the kernel counted for them */
	double involuntary; /* of these */
};

/* switch_point_fill() - the point of @c, from its values. */
void switch_point_fill(struct bench_case *c);

/* switch_points_greatest() - the members of the greatest ring to be measured,
 * and the most bytes that one of any ring reads; 0: none. */
struct switch_lap switch_points_greatest(const struct bench *b);

#endif
