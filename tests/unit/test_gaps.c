/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/time.h>

#include "gaps.h"
#include "tests.h"

/* Steps of a made-up clock. */
TEST(steps)
{
	static const uint64_t step[] = { 20, 1000, 1001, 30, 5000, 20 };
	struct gaps g = { 0 };
	unsigned int seen = 0;

	for (unsigned int i = 0; i < 6; i++)
		seen |= (unsigned int)gaps_add(&g, step[i], 1000) << i;
	OK(seen == 0x14, "a gap is longer than the least one");
	OK(g.gaps == 2 && g.lost_ticks == 6001 && g.longest_ticks == 5000 &&
		   g.spun_ticks == 7071,
	   "gaps are counted, all steps are time");
}

/* Reads of the clock itself must not pass for time that others took: without
 * a gap of its own length each of 20 us would. */
TEST(slow_clock)
{
	struct timer t = { .method = TIMER_CLOCK };
	struct gaps g = { 0 };

	/* A clock whose read lasts for longer than a gap: its nanoseconds are
	 * counted as if each were many. */
	t.hz = 1e7;
	gaps_spin(&g, &t, 100000, NULL, NULL);
	OK(g.spun_ticks >= 1000000 && g.gaps < g.spun_ticks / 100,
	   "reads of a slow clock are no gaps");
}

struct told {
	uint64_t gaps, ticks;
};

static void tell(void *arg, uint64_t ticks)
{
	struct told *t = arg;

	t->gaps++;
	t->ticks += ticks;
}

TEST(telling)
{
	const struct timer t = { .method = TIMER_CLOCK, .hz = 1e9 };
	struct told told = { 0 };
	struct gaps g = { 0 };

	gaps_spin(&g, &t, 5000, tell, &told);
	OK(g.spun_ticks >= 5000000, "it spins for as long as it is told");
	OK(told.gaps == g.gaps && told.ticks == g.lost_ticks,
	   "each gap is told once");
	OK(g.lost_ticks <= g.spun_ticks && g.longest_ticks <= g.lost_ticks,
	   "the longest gap is in the sum, the sum in the time");
}

/* Rates at which a microsecond is no whole number of ticks, for clocks of any
 * step. */
TEST(whole_ticks)
{
	bool too_short = false;

	for (int i = 0; i < 5000; i++) {
		const struct timer t = { .method = TIMER_CLOCK,
					 .hz = 1000900000 + i % 50 * 1e6 };
		struct gaps g = { 0 };

		gaps_spin(&g, &t, 1, NULL, NULL);
		too_short |= timer_ns(&t, (double)g.spun_ticks) < 1000;
	}
	OK(!too_short, "no spin is a part of a tick shorter than told");
}

static void spend(uint64_t ns)
{
	const uint64_t begin = timer_clock_begin();

	while (timer_clock_begin() - begin < ns)
		;
}

static void interrupt(int sig)
{
	spend(50000);
}

/* Longer than the least gap, and half of what is not counted after one. */
static void look(void *arg, uint64_t ticks)
{
	++*(uint64_t *)arg;
	spend(10000);
}

/* The time spent on a gap is no gap: else each look brings the next one, from
 * the first gap on to the end. */
TEST(looking)
{
	const struct timer t = { .method = TIMER_CLOCK, .hz = 1e9 };
	const struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct gaps g = { 0 };
	uint64_t looks = 0;

	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &soon, NULL);
	gaps_spin(&g, &t, 100000, look, &looks);
	OK(looks > 0 && looks == g.gaps && 10000 * looks < g.spun_ticks / 4,
	   "a look at a gap is none");
}
