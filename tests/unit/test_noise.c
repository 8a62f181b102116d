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

/* Times in us. */
static void waiting(void)
{
	struct noise_task t[] = { { 1, 40, 60 }, { 1, 55, 40 }, { 0, 0, 90 } };

	OK(noise_waited(t, 0) == 0, "nobody waits");
	OK(noise_waited(t, 1) == 40, "one that waits alone waits for others");
	OK(noise_waited(t, 3) == 0,
	   "to wait while the partner runs is the operation");
	t[1].waited = 4040;
	OK(noise_waited(t, 3) == 3980, "what is longer is not");
	t[2].waited = 5000;
	OK(noise_waited(t, 3) == 5000, "on another CPU nothing excuses it");
	t[2].cpu = 1;
	OK(noise_waited(t, 3) == 4900, "on the same one both do");
}

static void switches(void)
{
	struct noise seen;

	noise_begin();
	noise_end(&seen);
	OK(seen.waited_ns >= 0, "no less than nothing");
	if (!noise_knows_waits())
		printf("# this kernel counts no waiting\n");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(root)) {
		perror(root);
		return 1;
	}
	throttling();
	waiting();
	switches();
	snprintf(command, sizeof(command), "rm -rf %s", root);
	if (system(command))
		printf("# %s failed\n", command);
	return tap_done();
}
