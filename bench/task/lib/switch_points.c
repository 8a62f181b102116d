/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "switch_points.h"

#define KIB ((int64_t)1024)

/* A ring whose memory is larger than this disturbs whatever is measured next,
 * and takes long enough to be visited once. */
#define HEAVY_BYTES ((size_t)8 << 20)
#define HOPS	    32 /* in one event, at least */

static const int64_t ring_members[] = { 2, 4, 8, 16, 64, 96 };
static const int64_t ring_bytes[] = { 0, 4 * KIB, 16 * KIB, 64 * KIB,
				      512 * KIB };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct bench_open switch_points_open[] = {
	{ "procs", BENCH_INT, 2, SWITCH_RING_MAX, 0 },
	{ "touch", BENCH_SIZE, 0, 512 * KIB, 64 },
	{ 0 },
};

static const char *figure_name(enum switch_figure f)
{
	static const char *const names[] = {
		[SWITCH_ROUND_TRIP] = "round_trip",
		[SWITCH_MECHANISM] = "mechanism",
		[SWITCH_ALONE] = "switch",
		[SWITCH_LOW] = "switch_low",
		[SWITCH_HIGH] = "switch_high",
		[SWITCH_EXPLAINED] = "explained",
		[SWITCH_ONE_SHOT] = "one_shot",
		[SWITCH_HOP] = "hop",
		[SWITCH_HOP_MECHANISM] = "mechanism",
		[SWITCH_HOP_SPREAD] = "mechanism_spread",
		[SWITCH_HOP_LOW] = "switch_low",
		[SWITCH_HOP_HIGH] = "switch_high",
	};

	return names[f];
}

static bool is_derived(enum switch_figure f)
{
	return (f >= SWITCH_ALONE && f <= SWITCH_EXPLAINED) ||
	       f >= SWITCH_HOP_LOW;
}

static void add(struct bench *b, struct switch_points *all,
		struct switch_point p, struct bench_case c)
{
	struct switch_point *kept = &all->v[all->n];

	if (all->n == SWITCH_POINTS_MAX) {
		bench_fail(b, 0, "more than %d cases", SWITCH_POINTS_MAX);
		return;
	}
	all->n++;
	*kept = p;
	c.arg = kept;
	c.derived = is_derived(p.figure);
	c.switches = true;
	kept->self = bench_add(b, &c);
}

static const char *place_name(enum bench_place place)
{
	static const char *const names[] = {
		[BENCH_SAME_CPU] = "same_cpu",
		[BENCH_SAME_CORE] = "same_core",
		[BENCH_SAME_PACKAGE] = "same_package",
		[BENCH_OTHER_PACKAGE] = "other_package",
	};

	return names[place];
}

static void add_pair(struct bench *b, struct switch_points *all,
		     struct switch_point p)
{
	const bool once = p.figure == SWITCH_ONE_SHOT;

	add(b, all, p,
	    (struct bench_case) {
		    .params = { P_STR("between",
				      p.threads ? "thread" : "process"),
				P_STR("by", switch_way_name(p.way)),
				P_STR("place", place_name(p.place)),
				P_STR("figure", figure_name(p.figure)) },
		    .place = p.place,
		    .run = once ? NULL : all->run,
	    });
}

/* One way to take turns: what is measured of it, and what follows. */
static void add_way(struct bench *b, struct switch_points *all,
		    enum switch_way way, bool threads)
{
	static const enum bench_place others[] = { BENCH_SAME_CORE,
						   BENCH_SAME_PACKAGE,
						   BENCH_OTHER_PACKAGE };
	struct switch_point p = { .way = way, .threads = threads };
	const enum switch_figure bounded[] = { SWITCH_ROUND_TRIP,
					       SWITCH_MECHANISM, SWITCH_LOW,
					       SWITCH_HIGH };
	const enum switch_figure exact[] = { SWITCH_ROUND_TRIP,
					     SWITCH_MECHANISM, SWITCH_ALONE };
	const bool bounds = way == SWITCH_CONDVAR;

	for (size_t i = 0; i < (bounds ? COUNT(bounded) : COUNT(exact)); i++) {
		p.figure = bounds ? bounded[i] : exact[i];
		add_pair(b, all, p);
	}
	if (way == SWITCH_PIPE) {
		p.figure = SWITCH_EXPLAINED;
		add_pair(b, all, p);
	}
	p.figure = SWITCH_ROUND_TRIP;
	for (size_t i = 0; i < COUNT(others) && way != SWITCH_YIELD; i++) {
		p.place = others[i];
		add_pair(b, all, p);
	}
}

static const char too_big[] =
	"rings of such memory need more than a quarter of the memory that is "
	"free or that the memory cgroup leaves";

static void add_hop(struct bench *b, struct switch_points *all,
		    unsigned int members, unsigned int bytes,
		    enum switch_figure figure)
{
	const unsigned int laps = members < HOPS ? HOPS / members : 1;
	const size_t footprint = (size_t)members * bytes;
	/* Ours for all members that there may be, and each one's own. */
	const size_t memory = 2 * (size_t)SWITCH_RING_MAX * bytes;

	add(b, all,
	    (struct switch_point) {
		    .figure = figure, .lap = { members, bytes }, .laps = laps },
	    (struct bench_case) {
		    .params = { P_INT("procs", members), P_SIZE("touch", bytes),
				P_STR("figure", figure_name(figure)) },
		    .ops = laps * members,
		    .exclusive = footprint >= HEAVY_BYTES,
		    .skip = memory > bench_spare_bytes(b) ? too_big : NULL,
	    });
}

/* The point of @like with another figure, and for the mechanism of the ring
 * with one member; NULL if there is none. */
static const struct switch_point *sibling(const struct switch_points *all,
					  const struct switch_point *like,
					  enum switch_figure figure)
{
	const unsigned int members =
		figure == SWITCH_HOP_MECHANISM ? 1 : like->lap.members;

	for (size_t i = 0; i < all->n; i++) {
		const struct switch_point *p = &all->v[i];

		if (p->figure == figure && p->way == like->way &&
		    p->threads == like->threads && p->place == like->place &&
		    p->lap.members == members &&
		    p->lap.bytes == like->lap.bytes)
			return p;
	}
	return NULL;
}

/* What each derived case is made from, but for SWITCH_EXPLAINED, which has much
 * of the others. */
static void tell_sources(struct bench *b, const struct switch_points *all)
{
	static const enum switch_figure of_pair[] = { SWITCH_ROUND_TRIP,
						      SWITCH_MECHANISM };
	static const enum switch_figure of_hop[] = { SWITCH_HOP,
						     SWITCH_HOP_MECHANISM,
						     SWITCH_HOP_SPREAD };

	for (size_t i = 0; i < all->n; i++) {
		const struct switch_point *p = &all->v[i];
		const bool hop = p->figure >= SWITCH_HOP;
		struct switch_point futex = *p;

		futex.way = SWITCH_FUTEX;
		if (!is_derived(p->figure) || p->figure == SWITCH_EXPLAINED)
			continue;
		for (size_t k = 0; k < (hop ? COUNT(of_hop) : COUNT(of_pair));
		     k++) {
			const struct switch_point *from =
				sibling(all, p, hop ? of_hop[k] : of_pair[k]);

			if (from)
				bench_derived_from(b, p->self, from->self);
		}
		if (p->figure == SWITCH_LOW)
			bench_derived_from(
				b, p->self,
				sibling(all, &futex, SWITCH_MECHANISM)->self);
	}
}

void switch_points_add(struct bench *b, struct switch_points *all)
{
	static const enum switch_figure of_cell[] = {
		SWITCH_HOP, SWITCH_HOP_SPREAD, SWITCH_HOP_LOW, SWITCH_HOP_HIGH
	};

	int64_t members[COUNT(ring_members) + BENCH_ASKED];
	int64_t bytes[COUNT(ring_bytes) + BENCH_ASKED];
	const size_t rings = bench_values(b, "procs", ring_members,
					  COUNT(ring_members), members);
	const size_t touches =
		bench_values(b, "touch", ring_bytes, COUNT(ring_bytes), bytes);

	for (int threads = 0; threads < 2; threads++)
		for (int way = 0; way < SWITCH_WAYS; way++)
			add_way(b, all, way, threads);
	for (int threads = 0; threads < 2; threads++)
		add_pair(b, all,
			 (struct switch_point) { .figure = SWITCH_ONE_SHOT,
						 .way = threads ? SWITCH_CONDVAR
								: SWITCH_PIPE,
						 .threads = threads });
	for (size_t t = 0; t < touches; t++)
		add_hop(b, all, 1, bytes[t], SWITCH_HOP_MECHANISM);
	for (size_t m = 0; m < rings; m++)
		for (size_t t = 0; t < touches; t++)
			for (size_t f = 0; f < COUNT(of_cell); f++)
				add_hop(b, all, members[m], bytes[t],
					of_cell[f]);
	tell_sources(b, all);
}

struct switch_lap switch_points_greatest(const struct bench *b,
					 const struct switch_points *all)
{
	struct switch_lap most = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct switch_point *p = &all->v[i];

		if (p->figure < SWITCH_HOP || is_derived(p->figure) ||
		    !bench_selected(b, p->self))
			continue;
		if (p->lap.members > most.members)
			most.members = p->lap.members;
		if (p->lap.bytes > most.bytes)
			most.bytes = p->lap.bytes;
	}
	return most;
}

static double value(const struct bench *b, const struct switch_points *all,
		    const struct switch_point *like, enum switch_figure figure)
{
	const struct switch_point *p = sibling(all, like, figure);

	return p ? bench_value(b, p->self) : NAN;
}

/* What a round trip of @like's way is made of. */
struct trip {
	double whole, mechanism, switches; /* ns, ns, how many */
};

static struct trip trip_of(const struct bench *b,
			   const struct switch_points *all,
			   const struct switch_point *like, enum switch_way way)
{
	struct switch_point p = *like;
	const struct switch_point *whole;

	p.way = way;
	whole = sibling(all, &p, SWITCH_ROUND_TRIP);
	return (struct trip) {
		.whole = bench_value(b, whole->self),
		.mechanism = value(b, all, &p, SWITCH_MECHANISM),
		.switches = whole->switches / whole->turns,
	};
}

static double switch_of(struct trip t)
{
	return (t.whole - t.mechanism) / t.switches;
}

/* One of the @switches in what is left of @whole without @part. */
static void derive_switch(struct bench *b, const struct switch_point *p,
			  double whole, double part, double switches)
{
	if (!isfinite(whole) || !isfinite(part) || !isfinite(switches)) {
		bench_derive_skip(b, p->self,
				  "what it is made of was not measured");
		return;
	}
	bench_derive_within(b, p->self, (whole - part) / switches, 0);
	/* What it is made of; those rows have the evidence. */
	bench_fact(b, p->self, "whole_ns", whole);
	bench_fact(b, p->self, "without_switch_ns", part);
	bench_fact(b, p->self, "divided_by_switches", switches);
}

static void derive_explained(struct bench *b, const struct switch_points *all,
			     const struct switch_point *p, struct trip t)
{
	const double x = (switch_of(trip_of(b, all, p, SWITCH_EVENTFD)) +
			  switch_of(trip_of(b, all, p, SWITCH_UNIX))) /
			 2;

	if (!isfinite(x) || !isfinite(t.whole) || !isfinite(t.mechanism)) {
		bench_derive_skip(b, p->self,
				  "what it is made of was not measured");
		return;
	}
	bench_derive_within(b, p->self, t.mechanism + t.switches * x, 0);
	bench_fact(b, p->self, "mechanism_ns", t.mechanism);
	bench_fact(b, p->self, "switches_per_turn", t.switches);
	bench_fact(b, p->self, "switch_by_other_ways_ns", x);
}

static void derive_pair(struct bench *b, const struct switch_points *all,
			const struct switch_point *p)
{
	const struct trip t = trip_of(b, all, p, p->way);
	double calls;

	switch (p->figure) {
	case SWITCH_EXPLAINED:
		derive_explained(b, all, p, t);
		break;
	case SWITCH_LOW:
		/* No switch without a wait and a wake-up, and of those the
		 * mechanism of a bare futex has two. */
		calls = trip_of(b, all, p, SWITCH_FUTEX).mechanism / 2;
		derive_switch(b, p, t.whole, t.mechanism + t.switches * calls,
			      t.switches);
		break;
	default:
		derive_switch(b, p, t.whole, t.mechanism, t.switches);
		break;
	}
}

/* The upper bound is a hop, whatever it takes; the lower one is what each of
 * its switches took. */
static void derive_hop(struct bench *b, const struct switch_points *all,
		       const struct switch_point *p)
{
	const struct switch_point *hop = sibling(all, p, SWITCH_HOP);
	const double whole = bench_value(b, hop->self);

	if (p->figure == SWITCH_HOP_HIGH)
		derive_switch(b, p, whole,
			      value(b, all, p, SWITCH_HOP_MECHANISM), 1);
	else
		derive_switch(b, p, whole, value(b, all, p, SWITCH_HOP_SPREAD),
			      hop->switches / hop->turns);
}

void switch_points_derive(struct bench *b, const struct switch_points *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct switch_point *p = &all->v[i];

		if (!is_derived(p->figure) || !bench_selected(b, p->self))
			continue;
		if (p->figure >= SWITCH_HOP)
			derive_hop(b, all, p);
		else
			derive_pair(b, all, p);
	}
}
