/* SPDX-License-Identifier: MIT */
/* What a switch costs, from made-up round trips and counts of switches. */
#include "../../bench/task/lib/switch_points.h"
#include "invocation.h"
#include "tap.h"

static struct switch_points all;
static struct case_run run[16], *runs[16];
static struct bench b = { .runs = runs };

/* A case whose value is @ns; of a whole, 10 turns with @switches each. */
static struct case_run *add(struct switch_point p, double ns, double switches)
{
	const size_t i = b.n_runs++;

	run[i] = (struct case_run) { .c.id = i,
				     .derived = ns,
				     .derived_resolution = NAN };
	runs[i] = &run[i];
	p.self = &run[i].c;
	p.turns = 10;
	p.switches = 10 * switches;
	all.v[all.n++] = p;
	return &run[i];
}

static struct case_run *pair(enum switch_way way, enum switch_figure figure,
			     double ns, double switches)
{
	return add((struct switch_point) { .figure = figure, .way = way }, ns,
		   switches);
}

static struct case_run *ring(unsigned int members, enum switch_figure figure,
			     double ns, double switches)
{
	return add((struct switch_point) { .figure = figure,
					   .lap = { members, 4096 } },
		   ns, switches);
}

int main(void)
{
	struct case_run *by_eventfd, *explained, *low, *high, *hop_low,
		*hop_high;

	pair(SWITCH_EVENTFD, SWITCH_ROUND_TRIP, 3000, 2);
	pair(SWITCH_EVENTFD, SWITCH_MECHANISM, 1000, 0);
	by_eventfd = pair(SWITCH_EVENTFD, SWITCH_ALONE, NAN, 0);
	pair(SWITCH_UNIX, SWITCH_ROUND_TRIP, 5000, 2.5);
	pair(SWITCH_UNIX, SWITCH_MECHANISM, 2000, 0);
	pair(SWITCH_PIPE, SWITCH_ROUND_TRIP, 3500, 3);
	pair(SWITCH_PIPE, SWITCH_MECHANISM, 700, 0);
	explained = pair(SWITCH_PIPE, SWITCH_EXPLAINED, NAN, 0);
	pair(SWITCH_FUTEX, SWITCH_ROUND_TRIP, 3100, 2);
	pair(SWITCH_FUTEX, SWITCH_MECHANISM, 600, 0);
	pair(SWITCH_CONDVAR, SWITCH_ROUND_TRIP, 4400, 4);
	pair(SWITCH_CONDVAR, SWITCH_MECHANISM, 400, 0);
	low = pair(SWITCH_CONDVAR, SWITCH_LOW, NAN, 0);
	high = pair(SWITCH_CONDVAR, SWITCH_HIGH, NAN, 0);
	switch_points_derive(&b, &all);
	OK_NEAR(by_eventfd->derived, 1000, 1e-9,
		"two switches of a round trip share what is not mechanism");
	OK_NEAR(explained->derived, 4000, 1e-9,
		"a pipe's mechanism and three switches at 1000 and 1200");
	OK_NEAR(high->derived, 1000, 1e-9,
		"four switches of a condition variable share it, too");
	OK_NEAR(low->derived, 700, 1e-9,
		"each without a wait or wake-up, half a futex's mechanism");

	all.n = b.n_runs = 0;
	for (size_t i = 0; i < 16; i++)
		free(run[i].facts);
	ring(8, SWITCH_HOP, 2000, 1.25);
	ring(1, SWITCH_HOP_MECHANISM, 500, 0);
	ring(8, SWITCH_HOP_SPREAD, 750, 0);
	hop_low = ring(8, SWITCH_HOP_LOW, NAN, 0);
	hop_high = ring(8, SWITCH_HOP_HIGH, NAN, 0);
	switch_points_derive(&b, &all);
	OK_NEAR(hop_high->derived, 1500, 1e-9, "a hop, as lmbench has it");
	OK_NEAR(hop_low->derived, 1000, 1e-9,
		"what is not mechanism_spread, of each switch of a hop");
	for (size_t i = 0; i < b.n_runs; i++)
		free(run[i].facts);
	return tap_done();
}
