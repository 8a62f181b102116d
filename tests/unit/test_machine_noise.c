/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "noise_look.h"
#include "tests.h"

static double ns[GAP_CAUSES];

/* @n gaps of @each ns without a switch, and the kernel's count. */
static void divide(size_t n, double each, double longer, double switched,
		   double interrupts, double throttled)
{
	double plain[64];
	struct cpu_gaps g = { .spun_ns = 1e8, .plain = plain };

	for (size_t i = 0; i < n; i++)
		plain[g.nplain++] = each;
	if (longer > 0)
		plain[g.nplain++] = longer;
	g.switched_ns = switched;
	g.lost_ns = (double)n * each + longer + switched;
	g.interrupts = interrupts;
	g.throttled_ns = throttled;
	cpu_gaps_causes(&g, ns);
	OK_NEAR(ns[GAP_TASKS] + ns[GAP_THROTTLED] + ns[GAP_INTERRUPTS] +
			ns[GAP_UNSEEN],
		g.lost_ns, 1e-6, "the causes add up");
}

TEST(causes)
{
	divide(25, 4000, 0, 0, 25, 0);
	OK_NEAR(ns[GAP_INTERRUPTS], 1e5, 1e-6, "as many gaps as interrupts");
	divide(25, 4000, 0, 0, 24, 0);
	OK_NEAR(ns[GAP_INTERRUPTS], 1e5, 1e-6, "one may fall on the end");
	divide(40, 4000, 0, 0, 10, 0);
	OK_NEAR(ns[GAP_INTERRUPTS], 4e4, 1e-6, "10 interrupts for 40 gaps");
	OK_NEAR(ns[GAP_UNSEEN], 12e4, 1e-6, "the rest nobody saw");
	divide(25, 4000, 8e6, 0, 26, 0);
	OK_NEAR(ns[GAP_UNSEEN], 8e6, 1e-6, "8 ms are no interrupt");
	divide(0, 0, 0, 5e7, 25, 0);
	OK_NEAR(ns[GAP_TASKS], 5e7, 1e-6, "switched out: another task");
	divide(0, 0, 0, 5e7, 25, 3e7);
	OK_NEAR(ns[GAP_THROTTLED], 3e7, 1e-6, "or the cgroup's limit");
	OK_NEAR(ns[GAP_TASKS], 2e7, 1e-6, "for so much of it");
	divide(0, 0, 0, 0, 0, 5e7);
	OK_NEAR(ns[GAP_THROTTLED], 0, 1e-6,
		"other threads of the group may be held back: not we");
	divide(0, 0, 0, 0, 0, 0);
	OK(ns[GAP_UNSEEN] == 0, "a quiet CPU");
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

TEST(interrupts)
{
	char root[] = "/tmp/test-gaps-XXXXXX";
	char *path;
	json_t *before, *after, *diff;
	double all;
	FILE *f;

	if (!mkdtemp(root))
		return;
	path = text_format("%s/proc", root);
	mkdir(path, 0777);
	free(path);
	path = text_format("%s/proc/interrupts", root);
	before = irqs_read(root, 3);
	OK(json_object_size(before) == 0, "no such file, no interrupts");
	json_decref(before);
	f = fopen(path, "w");
	fputs("           CPU0       CPU3\n"
	      " 36:          7        571  PCI-MSIX  1-edge      "
	      "virtio1-req.0\n"
	      " 37:          0          0  PCI-MSIX  1-edge      quiet\n"
	      "LOC:         99       8608   Local timer interrupts\n"
	      "ERR:          0\n",
	      f);
	fclose(f);
	after = irqs_read(root, 3);
	before = json_pack("{s:i}", "LOC", 8600);
	diff = irqs_between(before, after, &all);
	OK(json_object_size(diff) == 2 && all == 579, "two kinds came");
	OK(json_integer_value(json_object_get(diff, "LOC")) == 8,
	   "counted from before");
	OK(json_integer_value(json_object_get(diff, "virtio1-req.0")) == 571,
	   "devices go by their names");
	json_decref(diff);
	json_decref(after);
	after = irqs_read(root, 1);
	OK(json_object_size(after) == 0, "no column for that CPU");
	json_decref(after);
	json_decref(before);
	unlink(path);
	free(path);
	path = text_format("%s/proc", root);
	rmdir(path);
	rmdir(root);
	free(path);
}
