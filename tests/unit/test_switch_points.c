/* SPDX-License-Identifier: MIT */
/* The cost of a switch, from made-up round trips and counts of switches. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/task/context_switch.c"
#include "program.h"
#include "tap.h"
#include "topo.h"

static const struct bench_desc desc = { .points = points };
static struct bench b = { .desc = &desc };

/* The case @prefix@name has the value @ns, and of a whole @switches. */
static void row(const char *prefix, const char *name, double ns,
		double switches)
{
	struct case_run *run =
		bench_case_of(&b, bench_find(&b, "%s%s", prefix, name));

	run->def.derived = ns;
	if (switches > 0)
		bench_fact(&b, &run->c, "switches_per_turn", switches);
}

static void pair(const char *by, double trip, double mechanism, double switches)
{
	char prefix[80];

	snprintf(prefix, sizeof(prefix),
		 "between=process,by=%s,place=same_cpu,stat=", by);
	row(prefix, "round_trip", trip, switches);
	row(prefix, "mechanism", mechanism, 0);
}

static double value_of(const char *name)
{
	return bench_case_of(&b, bench_find(&b, "%s", name))->def.derived;
}

int main(void)
{
	if (topo_open(&b.topo))
		return 1;
	cases_make(&b);
	OK(!b.verdict.why[0], "the text can be read");
	pair("eventfd", 3000, 1000, 2);
	pair("unix", 5000, 2000, 2.5);
	pair("pipe", 3500, 700, 3);
	pair("futex", 3100, 600, 2);
	pair("condvar", 4400, 400, 4);
	row("procs=8,touch=4K,stat=", "hop", 2000, 1.25);
	row("procs=1,touch=4K,stat=", "mechanism", 500, 0);
	row("procs=8,touch=4K,stat=", "mechanism_spread", 750, 0);
	points_derive(&b);
#define PAIR "between=process,by="
	OK_NEAR(value_of(PAIR "eventfd,place=same_cpu,stat=switch"), 1000, 1e-9,
		"two switches of a round trip share what is not mechanism");
	OK_NEAR(value_of(PAIR "pipe,place=same_cpu,stat=explained"), 4000, 1e-9,
		"a pipe's mechanism and three switches at 1000 and 1200");
	OK_NEAR(value_of(PAIR "condvar,place=same_cpu,stat=switch_high"), 1000,
		1e-9, "four switches of a condition variable share it, too");
	OK_NEAR(value_of(PAIR "condvar,place=same_cpu,stat=switch_low"), 700,
		1e-9,
		"each without a wait or wake-up, half a futex's mechanism");
	OK_NEAR(value_of("procs=8,touch=4K,stat=switch_high"), 1500, 1e-9,
		"a hop, as lmbench has it");
	OK_NEAR(value_of("procs=8,touch=4K,stat=switch_low"), 1000, 1e-9,
		"what is not mechanism_spread, of each switch of a hop");
	cases_free(&b);
	return tap_done();
}
