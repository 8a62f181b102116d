/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gaps.h"
#include "hogs.h"
#include "quiet.h"
#include "tap.h"
#include "text.h"

static double ns[GAP_CAUSES];

/* @n gaps of @each ns without a switch, and the kernel's count. */
static void divide(size_t n, double each, double longer, double switched,
		   double interrupts, double throttled)
{
	double plain[64];
	struct gaps g = { .spun_ns = 1e8, .plain = plain };

	for (size_t i = 0; i < n; i++)
		plain[g.nplain++] = each;
	if (longer > 0)
		plain[g.nplain++] = longer;
	g.switched_ns = switched;
	g.lost_ns = (double)n * each + longer + switched;
	g.interrupts = interrupts;
	g.throttled_ns = throttled;
	gaps_causes(&g, ns);
	OK_NEAR(ns[GAP_TASKS] + ns[GAP_THROTTLED] + ns[GAP_INTERRUPTS] +
			ns[GAP_UNSEEN],
		g.lost_ns, 1e-6, "the causes add up");
}

static void causes(void)
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

static void spin(void)
{
	struct timer t = { .method = TIMER_CLOCK, .hz = 1e9 };
	struct gaps g;
	double sum = 0;

	gaps_spin(&g, &t, 5);
	for (size_t i = 0; i < g.nplain; i++)
		sum += g.plain[i];
	OK(g.spun_ns >= 5e6, "it spins for as long as it is told");
	OK(g.lost_ns <= g.spun_ns && g.longest_ns <= g.lost_ns,
	   "the longest gap is in the sum, the sum in the time");
	OK_NEAR(sum + g.switched_ns, g.lost_ns, 1e-3,
		"no gap is counted twice");
	gaps_free(&g);
}

static void interrupts(void)
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

/* Looks at a core of which @shared in 20 found it shared. */
static struct quiet_cpu looked(int shared)
{
	struct quiet_cpu c = { .cpu = 3, .n_adds = 20 };

	c.adds = text_alloc(c.n_adds, sizeof(*c.adds));
	for (int i = 0; i < 20; i++)
		c.adds[i] = i < shared ? 2.5 : 5.0 - 0.02 * i;
	return c;
}

static void shared_core(void)
{
	struct quiet_cpu c = looked(5);
	char *text = quiet_shared(&c), *mend = quiet_shared_mend(&c);

	OK(text && strstr(text, "in 25 % of 20 looks") &&
		   strstr(text, "2.5 additions a cycle, against 4.9"),
	   "a core that was shared in a quarter of the looks");
	OK(strstr(mend, "smt/control"), "what switches that off");
	free(mend);
	free(text);
	c.n_adds = 7;
	OK(!quiet_shared(&c), "seven looks say nothing");
	free(c.adds);
	c = looked(0);
	OK(!quiet_shared(&c), "a core that was ours is not mentioned");
	free(c.adds);
}

static void certificate(void)
{
	static const char lines[] =
		"[{'cpu': 0, 'spun_us': 1000, 'lost_us': 900},"
		"{'cpu': 1, 'measuring': true, 'phase': 'before',"
		" 'spun_us': 1000, 'lost_us': 0},"
		"{'cpu': 1, 'phase': 'after', 'spun_us': 1000, 'lost_us': 60,"
		" 'adds_per_cycle': [4.5, -1, 'x', 1e300, 4.4],"
		" 'causes_us': {'tasks': 50, 'unseen': 10}, 'tasks':"
		" [{'pid': 7, 'name': 'hog', 'ran_us': 50}]},"
		"{'cpu': 2, 'spun_us': -5, 'lost_us': 1e300, 'tasks': 3,"
		" 'causes_us': [], 'interrupts': 'x'}]";
	char *json = text_copy(lines), *text;
	struct run run = { 0 };
	struct quiet q;

	for (char *c = json; *c; c++)
		if (*c == '\'')
			*c = '"';
	run.noise = json_loads(json, 0, NULL);
	quiet_sum(&q, &run);
	OK(q.n == 3 && q.v[0].cpu == 1 && q.v[1].cpu == 0,
	   "the measuring CPU first, then the worst");
	OK_NEAR(quiet_share(&q.v[0]), 0.03, 1e-12, "its looks are added");
	OK(q.v[0].n_adds == 2 && q.v[0].adds[1] == 4.4,
	   "and its looks at the core, without what no rate can be");
	text = quiet_verdict(&q.v[0]);
	OK(!strncmp(text, "grade C on CPU 1", 16), "3 % is a C");
	free(text);
	OK(quiet_main_cause(&q.v[0]) == GAP_TASKS, "tasks took most");
	text = quiet_cause(&q.v[0], GAP_TASKS);
	OK(text && strstr(text, "hog (pid 7)"), "the task is named");
	free(text);
	OK(!quiet_cause(&q.v[0], GAP_THROTTLED), "what took nothing is not");
	OK(quiet_share(&q.v[2]) == 0, "numbers that cannot be count as none");
	quiet_free(&q);
	json_decref(run.noise);
	free(json);
}

int main(void)
{
	causes();
	spin();
	interrupts();
	shared_core();
	certificate();
	return tap_done();
}
