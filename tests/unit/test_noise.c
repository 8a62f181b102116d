/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "noise.h"
#include "tap.h"

static char root[] = "/tmp/test-noise-XXXXXX";

/* @text into @file below root. */
static void set(const char *file, const char *text)
{
	char command[512], path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	snprintf(command, sizeof(command), "mkdir -p $(dirname %s)", path);
	if (system(command))
		printf("# %s failed\n", command);
	f = fopen(path, "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void grades(void)
{
	OK(noise_grade(0) == 'A' && noise_grade(0.0009) == 'A', "A");
	OK(noise_grade(0.001) == 'B' && noise_grade(0.0099) == 'B', "B");
	OK(noise_grade(0.01) == 'C' && noise_grade(0.0499) == 'C', "C");
	OK(noise_grade(0.05) == 'D' && noise_grade(1) == 'D', "D");
}

/* Reads of the clock itself must not pass for time that others took: without
 * a gap of its own length each of 20 us would. */
static void slow_clock(void)
{
	struct timer t = { .method = TIMER_CLOCK };
	struct noise noise = { 0 };

	/* A clock whose read lasts for longer than GAP_NS: its nanoseconds
	 * are counted as if each were many. */
	t.hz = 1e7;
	noise_spin(&noise, &t, 100000);
	OK(noise.spun_ticks >= 1000000 && noise.gaps < noise.spun_ticks / 100,
	   "reads of a slow clock are no gaps");
}

static void throttling(void)
{
	struct noise_throttle t;

	noise_throttle_read(&t, root);
	OK(t.periods == 0 && t.ns == 0, "no cgroups, nothing held back");
	set("proc/self/cgroup", "0::/a/b\n");
	set("sys/fs/cgroup/a/b/cpu.stat",
	    "usage_usec 9\nnr_periods 8\nnr_throttled 0\nthrottled_usec 0\n");
	set("sys/fs/cgroup/a/cpu.stat",
	    "nr_periods 8\nnr_throttled 3\nthrottled_usec 70\n");
	set("sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
	noise_throttle_read(&t, root);
	OK(t.periods == 3 && t.ns == 70000, "v2: the group above has a limit");
	set("proc/self/cgroup", "3:memory:/m\n2:cpu,cpuacct:/c\n0::/\n");
	set("sys/fs/cgroup/cpu/c/cpu.stat",
	    "nr_throttled 5\nthrottled_time 900\n");
	set("sys/fs/cgroup/cpu/cpu.stat",
	    "nr_throttled 1\nthrottled_time 100\n");
	noise_throttle_read(&t, root);
	OK(t.periods == 6 && t.ns == 1000, "v1: in its own unit");
	set("proc/self/cgroup", "2:cpuacct,cpu:/c\n1:cpuset:/c\n");
	noise_throttle_read(&t, root);
	OK(t.periods == 6, "v1: cpu is second, and cpuset is another");
	set("proc/self/cgroup", "2:cpu:/\n0::/\n");
	noise_throttle_read(&t, root);
	OK(t.periods == 1 && t.ns == 100, "a group at the top counts once");
	set("proc/self/cgroup", "nonsense\n1:cpu\n0::\n");
	noise_throttle_read(&t, root);
	OK(t.periods == 0, "lines that are none");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root)) {
		perror(root);
		return 1;
	}
	grades();
	slow_clock();
	throttling();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		printf("# %s failed\n", command);
	return tap_done();
}
