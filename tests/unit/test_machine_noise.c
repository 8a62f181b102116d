/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#include "box.h"
#include "machine.h"
#include "noise_look.h"
#include "tests.h"

static double ns[GAP_CAUSES];

TEST(causes)
{
	static const struct {
		/* n gaps of `each` ns without a switch, a longer one; the time
		 * lost to switches; the kernel's counts. */
		size_t n;
		double each, longer, switched, interrupts, throttled;
		enum gap_cause cause;
		double ns;
		const char *what;
	} t[] = {
		{ 25, 4e3, 0, 0, 25, 0, GAP_INTERRUPTS, 1e5, "a gap for each" },
		{ 25, 4e3, 0, 0, 24, 0, GAP_INTERRUPTS, 1e5, "one at the end" },
		{ 40, 4e3, 0, 0, 10, 0, GAP_INTERRUPTS, 4e4, "10 for 40 gaps" },
		{ 40, 4e3, 0, 0, 10, 0, GAP_UNSEEN, 12e4,
		  "the rest is unseen" },
		{ 25, 4e3, 8e6, 0, 26, 0, GAP_UNSEEN, 8e6, "8 ms are none" },
		{ 0, 0, 0, 5e7, 25, 0, GAP_TASKS, 5e7, "another task" },
		{ 0, 0, 0, 5e7, 25, 3e7, GAP_THROTTLED, 3e7, "the limit" },
		{ 0, 0, 0, 5e7, 25, 3e7, GAP_TASKS, 2e7, "and another task" },
		/* Other threads of the group may be held back. */
		{ 0, 0, 0, 0, 0, 5e7, GAP_THROTTLED, 0, "not this one" },
		{ 0, 0, 0, 0, 0, 0, GAP_UNSEEN, 0, "a quiet CPU" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		double plain[64];
		struct cpu_gaps g = { .spun_ns = 1e8, .plain = plain };

		while (g.nplain < t[i].n)
			plain[g.nplain++] = t[i].each;
		if (t[i].longer > 0)
			plain[g.nplain++] = t[i].longer;
		g.switched_ns = t[i].switched;
		g.lost_ns = (double)t[i].n * t[i].each + t[i].longer +
			    t[i].switched;
		g.interrupts = t[i].interrupts;
		g.throttled_ns = t[i].throttled;
		cpu_gaps_causes(&g, ns);
		OK_NEAR(ns[GAP_TASKS] + ns[GAP_THROTTLED] + ns[GAP_INTERRUPTS] +
				ns[GAP_UNSEEN],
			g.lost_ns, 1e-6, "the causes add up");
		OK_NEAR(ns[t[i].cause], t[i].ns, 1e-6, t[i].what);
	}
}

TEST(spin)
{
	struct timer t = { .method = TIMER_CLOCK, .hz = 1e9 };
	struct cpu_gaps g;
	double sum = 0;

	cpu_gaps_spin(&g, &t, 5);
	for (size_t i = 0; i < g.nplain; i++)
		sum += g.plain[i];
	OK(g.spun_ns >= 5e6, "it spins for as long as it is told");
	OK(g.lost_ns <= g.spun_ns && g.longest_ns <= g.lost_ns,
	   "the longest gap is in the sum, the sum in the time");
	OK_NEAR(sum + g.switched_ns, g.lost_ns, 1e-3,
		"no gap is counted twice");
	free(g.plain);
}

/* Reads of the clock itself must not pass for time that others took: without
 * a gap of its own length each of 20 us would. */
TEST(slow_clock)
{
	/* A clock whose read lasts for longer than a gap: its nanoseconds are
	 * counted as if each were many. */
	const struct timer t = { .method = TIMER_CLOCK, .hz = 1e7 };
	struct cpu_gaps g;

	cpu_gaps_spin(&g, &t, 100);
	OK(g.spun_ns >= 1e8 && (double)g.n < g.spun_ns / 1e6,
	   "reads of a slow clock are no gaps");
	free(g.plain);
}

static void interrupt(int sig)
{
	const uint64_t begin = timer_clock_begin();

	while (timer_clock_begin() - begin < 50000)
		;
}

TEST(one_gap)
{
	const struct timer t = { .method = TIMER_CLOCK, .hz = 1e9 };
	const struct itimerval soon = { .it_value.tv_usec = 1000 };
	struct cpu_gaps g;

	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &soon, NULL);
	cpu_gaps_spin(&g, &t, 100);
	OK(g.n && g.longest_ns >= 50000, "what takes the CPU is a gap");
	free(g.plain);
}

TEST(interrupts)
{
	json_t *before, *after, *diff;
	double all;

	box_open(true);
	before = irqs_read(box, 3);
	OK(json_object_size(before) == 0, "no such file, no interrupts");
	json_decref(before);
	box_put("proc/interrupts",
		"           CPU0       CPU3\n"
		" 36:          7        571  PCI-MSIX  1-edge      "
		"virtio1-req.0\n"
		" 37:          0          0  PCI-MSIX  1-edge      quiet\n"
		"LOC:         99       8608   Local timer interrupts\n"
		"ERR:          0\n");
	after = irqs_read(box, 3);
	before = json_pack("{s:i}", "LOC", 8600);
	diff = counts_between(before, after, &all);
	OK(json_object_size(diff) == 2 && all == 579 &&
		   json_integer_value(json_object_get(diff, "LOC")) == 8 &&
		   json_integer_value(json_object_get(diff, "virtio1-req.0")) ==
			   571,
	   "two kinds came: devices go by their names");
	json_decref(diff);
	json_decref(after);
	after = irqs_read(box, 1);
	OK(json_object_size(after) == 0, "no column for that CPU");
	json_decref(after);
	json_decref(before);
}
