/* SPDX-License-Identifier: MIT */
#include "switch_points.h"

/* A ring whose memory is larger than this disturbs whatever is measured next,
 * and takes long enough to be visited once. */
#define HEAVY_BYTES ((size_t)8 << 20)
#define HOPS	    32 /* in one event, at least */

#define MOST  BENCH_TEXT(SWITCH_RING_MAX)
#define TOUCH "touch={0,4K,16K,64K,512K,?0..512K/64}"
/* Ours for all members that there may be, and each one's own. */
#define MEMORY "needs memory=2*" MOST "*touch;"

const char switch_points[] =
	"between={process,thread}"
	" by={pipe,eventfd,unix,futex,condvar,sched_yield}"
	" place={same_cpu,same_core,same_package,other_package}"
	" figure={round_trip,mechanism,switch,switch_low,switch_high,explained}"
	";"
	"not place!=same_cpu figure!=round_trip;"
	"not place!=same_cpu by=sched_yield;"
	"not by=condvar figure=switch;"
	"not by!=condvar figure={switch_low,switch_high};"
	"not by!=pipe figure=explained;"
	"is switches placed;"
	"switch := (whole_ns:round_trip - without_switch_ns:mechanism)"
	" / divided_by_switches:round_trip.switches_per_turn;"
	"switch_high := (whole_ns:round_trip - without_switch_ns:mechanism)"
	" / divided_by_switches:round_trip.switches_per_turn;"
	/* No switch without a wait and a wake-up, and of those the mechanism of
	 * a bare futex has two. */
	"switch_low := (whole_ns:round_trip - without_switch_ns:(mechanism"
	" + round_trip.switches_per_turn * [by=futex figure=mechanism] / 2))"
	" / divided_by_switches:round_trip.switches_per_turn;"
	"explained := mechanism_ns:mechanism"
	" + switches_per_turn:round_trip.switches_per_turn"
	" * switch_by_other_ways_ns:(([by=eventfd figure=switch]"
	" + [by=unix figure=switch]) / 2);"

	"between=process by=pipe place=same_cpu figure=one_shot; is switches;"
	"between=thread by=condvar place=same_cpu figure=one_shot; is switches;"

	"procs=1 " TOUCH " figure=mechanism; is switches;" MEMORY

	/* The upper bound is a hop, whatever it takes; the lower one is what
	 * each of its switches took. */
	"procs={2,4,8,16,64,96,?2.." MOST "} " TOUCH
	" figure={hop,mechanism_spread,switch_low,switch_high};"
	"is switches;" MEMORY
	"switch_low := (whole_ns:hop - without_switch_ns:mechanism_spread)"
	" / divided_by_switches:hop.switches_per_turn;"
	"switch_high := (whole_ns:hop"
	" - without_switch_ns:[procs=1 figure=mechanism])"
	" / divided_by_switches:1";

static void fill_ring(struct switch_point *p, struct bench_case *c)
{
	p->lap.members = (unsigned int)case_int(c, "procs");
	p->lap.bytes = (unsigned int)case_int(c, "touch");
	p->laps = p->lap.members < HOPS ? HOPS / p->lap.members : 1;
	p->figure = case_is(c, "figure", "hop")		? SWITCH_HOP
		    : case_is(c, "figure", "mechanism") ? SWITCH_HOP_MECHANISM
							: SWITCH_HOP_SPREAD;
	c->ops = p->laps * p->lap.members;
	c->exclusive = (size_t)p->lap.members * p->lap.bytes >= HEAVY_BYTES;
}

void switch_point_fill(struct bench_case *c)
{
	struct switch_point *p = c->data;

	if (case_has(c, "procs")) {
		fill_ring(p, c);
		return;
	}
	p->way = CASE_ENUM(c, "by", switch_way_name, SWITCH_WAYS);
	p->threads = case_is(c, "between", "thread");
	p->place = c->place;
	p->figure = case_is(c, "figure", "round_trip") ? SWITCH_ROUND_TRIP
		    : case_is(c, "figure", "one_shot") ? SWITCH_ONE_SHOT
						       : SWITCH_MECHANISM;
}

struct switch_lap switch_points_greatest(const struct bench *b)
{
	struct switch_lap most = { 0 };

	BENCH_EACH (b, c, "procs") {
		const struct switch_point *p = c->data;

		if (c->derived || !bench_selected(b, c))
			continue;
		if (p->lap.members > most.members)
			most.members = p->lap.members;
		if (p->lap.bytes > most.bytes)
			most.bytes = p->lap.bytes;
	}
	return most;
}
