/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "leaks.h"
#include "sections.h"
#include "tests.h"
#include "text.h"

/* Looks at a core of which @shared in 20 found it shared. */
static struct noise_cpu looked(int shared)
{
	struct noise_cpu c = { .cpu = 3, .n_adds = 20 };

	c.adds = text_alloc(c.n_adds, sizeof(*c.adds));
	for (int i = 0; i < 20; i++)
		c.adds[i] = i < shared ? 2.5 : 5.0 - 0.02 * i;
	return c;
}

TEST(shared_core)
{
	struct noise_cpu c = looked(5);
	const char *text = noise_cpu_shared(&c);

	OK(text && strstr(text, "in 25 % of 20 measurements") &&
		   strstr(text, "2.5 additions a cycle, against 4.9"),
	   "a core that was shared in a quarter of the looks");
	OK(text && strstr(text, "smt/control"), "what switches that off");
	c.n_adds = 7;
	OK(!noise_cpu_shared(&c), "seven looks say nothing");
	c = looked(0);
	OK(!noise_cpu_shared(&c), "a core that was ours is not mentioned");
}

TEST(certificate)
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
	char *json = text_copy(lines);
	const char *text;
	struct run run = { 0 };
	struct noise_certificate q;

	for (char *c = json; *c; c++)
		if (*c == '\'')
			*c = '"';
	run.noise = json_loads(json, 0, NULL);
	noise_certificate_sum(&q, &run);
	OK(q.n == 3 && q.v[0].cpu == 1 && q.v[1].cpu == 0,
	   "the measuring CPU first, then the worst");
	OK_NEAR(noise_cpu_share(&q.v[0]), 0.03, 1e-12, "its looks are added");
	OK(q.v[0].n_adds == 2 && q.v[0].adds[1] == 4.4,
	   "and its looks at the core, without what no rate can be");
	text = noise_cpu_verdict(&q.v[0]);
	OK(!strncmp(text, "CPU 1 was noisy: ", 17), "3 % is noisy");
	OK(noise_cpu_main_cause(&q.v[0]) == NOISE_TASKS, "tasks took most");
	text = noise_cpu_cause(&q.v[0], NOISE_TASKS);
	OK(text && strstr(text, "hog (pid 7)"), "the task is named");
	OK(!noise_cpu_cause(&q.v[0], NOISE_THROTTLED),
	   "what took nothing is not");
	OK(noise_cpu_share(&q.v[2]) == 0,
	   "numbers that cannot be count as none");
	json_decref(run.noise);
}
