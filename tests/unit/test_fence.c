/* SPDX-License-Identifier: MIT */
/* Whether a fence holds, on made-up clocks: some whose step is longer than the
 * chain, and some that are read before the chain is done. */
#include "fence.h"

#include <stdio.h>

#include "tests.h"

#define READ_NS 6.0

/* A core and its counter.  A fence that does not hold cuts off the end of what
 * is timed, of one chain at most: the window of a core is no longer. */
struct core {
	double chain_ns, step_ns;
	double seen;	/* share of the last chain */
	double pauses;	/* share of intervals that something interrupts */
	uint64_t ticks; /* that the counter moves by in a step */
	double now;
	uint32_t random;
};

static double chance(struct core *c)
{
	c->random = c->random * 1664525 + 1013904223;
	return (double)(c->random >> 8) / (1 << 24);
}

static uint64_t shown(const struct core *c)
{
	return (uint64_t)(c->now / c->step_ns) * c->ticks;
}

static uint64_t take(void *ctx, uint32_t n, uint32_t i)
{
	struct core *c = ctx;
	uint64_t begin;

	c->now += 20 + 3000 * chance(c);
	begin = shown(c);
	c->now += READ_NS + (n - 1 + c->seen) * c->chain_ns;
	if (chance(c) < c->pauses)
		c->now += 20e3;
	return shown(c) - begin;
}

/* How many of 200 tries find that it holds. */
static int holds(struct core c)
{
	int yes = 0;

	for (uint32_t i = 0; i < 200; i++) {
		c.now = 1e9;
		c.random = 77 + i;
		yes += fence_holds(take, &c, (double)c.ticks);
	}
	return yes;
}

TEST(clocks)
{
	static const struct {
		double step_ns;
		uint64_t ticks;
		const char *name;
	} all[] = {
		{ 0.4, 1, "2.5 GHz" },
		{ 10, 26, "2.6 GHz in steps of 26 ticks" },
		{ 16, 1, "62.5 MHz" },
		{ 1e9 / 24e6, 1, "24 MHz" },
		{ 1e9 / 24e6, 42, "1 GHz in steps of 42 ticks" },
		{ 52, 1, "19.2 MHz" },
		{ 100, 1, "10 MHz" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		/* 48 ns: an instruction a nanosecond; 250: a real divider. */
		for (int chain = 48; chain < 300; chain += 202) {
			struct core c = { .chain_ns = chain,
					  .step_ns = all[i].step_ns,
					  .ticks = all[i].ticks,
					  .pauses = 0.01,
					  .seen = 1 };
			char what[80];

			snprintf(what, sizeof(what),
				 "%s: a chain of %d ns is held", all[i].name,
				 chain);
			OK(holds(c) == 200, what);
			c.seen = 0.5;
			OK(holds(c) == 0, "half of it is not enough");
			c.seen = 0;
			OK(holds(c) == 0, "nor is none");
		}
	}
}

static uint64_t nothing(void *ctx, uint32_t n, uint32_t i)
{
	return 7;
}

TEST(no_chain)
{
	OK(!fence_holds(nothing, NULL, 1),
	   "a counter that shows no chain proves nothing");
}
