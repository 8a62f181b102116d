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
enum switch_figure {
	/* two partners */
	SWITCH_ROUND_TRIP,
	SWITCH_MECHANISM,
	SWITCH_ALONE, /* derived, and so are the three below */
	SWITCH_LOW,
	SWITCH_HIGH,
	SWITCH_EXPLAINED,
	SWITCH_ONE_SHOT,
	/* the ring */
	SWITCH_HOP,
	SWITCH_HOP_MECHANISM,
	SWITCH_HOP_SPREAD,
	SWITCH_HOP_LOW, /* derived, and so is the one below */
	SWITCH_HOP_HIGH,
};

struct switch_point {
	enum switch_figure figure;
	/* two partners */
	enum switch_way way;
	bool threads;
	enum bench_place place;
	/* the ring */
	struct switch_lap lap;
	unsigned int laps; /* in one event */

	const struct bench_case *self;
	double turns;	    /* round trips or hops that were made, in all */
	double switches;    /* that the kernel counted for them */
	double involuntary; /* of these */
};

/* Also if half of what may be asked for is of each axis. */
#define SWITCH_POINTS_MAX 2048

struct switch_points {
	bench_run_fn *run; /* of the cases that are repeated */
	struct switch_point v[SWITCH_POINTS_MAX];
	size_t n;
};

/* The axes of the ring. */
extern const struct bench_open switch_points_open[];

/* switch_points_add() - add all cases; the point of a case is its @arg. */
void switch_points_add(struct bench *b, struct switch_points *all);

/* switch_points_derive() - values of the derived cases. */
void switch_points_derive(struct bench *b, const struct switch_points *all);

/* switch_points_greatest() - the members of the greatest ring to be measured,
 * and the most bytes that one of any ring reads; 0: none. */
struct switch_lap switch_points_greatest(const struct bench *b,
					 const struct switch_points *all);

#endif
