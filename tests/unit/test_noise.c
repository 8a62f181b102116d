/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "box.h"
#include "noise.h"
#include "sysfile.h"
#include "tests.h"

#define V2    "7 1 0:7 "
#define AS_V2 " rw shared:4 - cgroup2 none rw\n"

TEST(throttling)
{
	struct noise_throttle t;

	box_open(true);
	noise_throttle_read(&t, box);
	OK(t.periods == 0 && t.ns == 0, "no cgroups, nothing held back");
	box_put("proc/self/cgroup", "0::/a/b\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 0 && t.ns == 0, "a group, but no mount");
	box_put("proc/self/mountinfo", V2 "/ /sys/fs/cgroup" AS_V2);
	box_put("sys/fs/cgroup/a/b/cpu.stat",
		"usage_usec 9\nnr_periods 8\nnr_throttled 0\nthrottled_usec "
		"0\n");
	box_put("sys/fs/cgroup/a/cpu.stat",
		"nr_periods 8\nnr_throttled 3\nthrottled_usec 70\n");
	box_put("sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 3 && t.ns == 70000, "v2: the group above has a limit");
	box_put("proc/self/mountinfo", V2 "/a /sys/fs/cgroup" AS_V2);
	noise_throttle_read(&t, box);
	OK(t.periods == 0, "a mount that shows another part");
	box_put("sys/fs/cgroup/b/cpu.stat",
		"nr_throttled 2\nthrottled_usec 1\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 2 && t.ns == 1000, "a container's part of them");
	box_put("proc/self/mountinfo", V2
		"/ /sys/fs/cgroup" AS_V2 "8 1 0:8 / /sys/fs/cgroup/cpuset rw - "
		"cgroup none rw,cpuset\n9 1 0:9 / /sys/fs/cgroup/cpu rw - "
		"cgroup none rw,cpu,cpuacct\n");
	box_put("proc/self/cgroup", "3:memory:/m\n2:cpu,cpuacct:/c\n0::/\n");
	box_put("sys/fs/cgroup/cpu/c/cpu.stat",
		"nr_throttled 5\nthrottled_time 900\n");
	box_put("sys/fs/cgroup/cpu/cpu.stat",
		"nr_throttled 1\nthrottled_time 100\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 6 && t.ns == 1000, "v1: in its own unit");
	box_put("proc/self/cgroup", "2:cpuacct,cpu:/c\n1:cpuset:/c\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 6, "v1: cpu is second, and cpuset is another");
	box_put("proc/self/cgroup", "2:cpu:/\n0::/\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 1 && t.ns == 100, "a group at the top counts once");
	box_put("proc/self/cgroup", "nonsense\n1:cpu\n0::\n");
	noise_throttle_read(&t, box);
	OK(t.periods == 0, "lines that are none");
}

#define LONG 100000

/* Times in us. */
TEST(waiting)
{
	/* The first, woken, has preempted the second, and read all clocks for
	 * 900 before the span: the kernel counts that in the span. */
	struct noise_task ring[] = { { .cpu = 1, .waited = 30, .ran = 40 },
				     { .cpu = 1, .waited = 930, .ran = 30 },
				     { .cpu = 1, .waited = 10, .ran = 30 } };
	struct noise_task t[] = { { .cpu = 1, .waited = 40, .ran = 60 },
				  { .cpu = 1, .waited = 55, .ran = 40 },
				  { .ran = 90 } };

	OK(noise_waited(t, 0, LONG) == 0, "nobody waits");
	OK(noise_waited(t, 1, LONG) == 40,
	   "one that waits alone waits for others");
	OK(noise_waited(t, 3, LONG) == 0,
	   "to wait while the partner runs is the operation");
	t[1].waited = 4040;
	OK(noise_waited(t, 3, LONG) == 3980, "what is longer is not");
	t[2].waited = 5000;
	OK(noise_waited(t, 3, LONG) == 5000,
	   "on another CPU nothing excuses it");
	t[2].cpu = 1;
	OK(noise_waited(t, 3, LONG) == 4900, "on the same one both do");
	t[2].ran = -90;
	OK(noise_waited(t, 3, INT64_MAX) == 4900,
	   "without a span, of what ran less than nothing by another clock");
	OK(noise_waited(ring, 3, 101) == 1, "a wait that had begun before");
	OK(noise_waited(ring, 3, 400) == 300, "no longer than the span");
	ring[1].cpu = 0;
	OK(noise_waited(ring, 3, 101) == 71, "on another CPU, too");
}

TEST(files)
{
	const char *stat = "cpu  90 1 2 3 4 5 6 130 0 0\n"
			   "cpu1 40 1 2 3 4 5 6 70 0 0\n"
			   "cpu11 50 1 2 3 4 5 6 60 0 0\n"
			   "cpu12 50 1 2 3\nintr 1\n";
	struct noise_taken t;
	int64_t ran, waited;

	OK(noise_waits("500 70 3\n", &ran, &waited) && ran == 500 &&
		   waited == 70,
	   "the kernel counts waiting");
	OK(!noise_waits("0 0 0\n", &ran, &waited) &&
		   !noise_waits("", &ran, &waited) &&
		   !noise_waits("500 ", &ran, &waited),
	   "it counts nothing; an empty file; half of one");
	OK(noise_stolen(stat, 1) == 70 && noise_stolen(stat, 11) == 60,
	   "stolen from each CPU");
	OK(noise_stolen(stat, -1) == 130, "from all");
	OK(noise_stolen(stat, 12) == 0 && noise_stolen(stat, 0) == 0,
	   "an old kernel, and a CPU that is not there");
	noise_taken_read(&t, (const int[]) { 0, -1 });
	OK(t.stolen[0] >= 0 && t.stolen[1] == 0 && t.throttled >= 0,
	   "of this machine; no CPU has lost nothing");
}

/* Clocks that go on stand for partners that run, that of a stopped process for
 * one that does not. */
TEST(partners)
{
	const pid_t stopped = fork();
	cpu_set_t here;
	clockid_t still;
	int cpu = sched_getcpu();
	bool known;

	if (!stopped)
		for (;;)
			raise(SIGSTOP);
	waitpid(stopped, NULL, WUNTRACED);
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	sched_setaffinity(0, sizeof(here), &here);
	noise_begin();
	known = noise_knows_waits();
	OK(noise_partner_cpu(cpu) == -1, "no partner");
	clock_getcpuclockid(stopped, &still);
	noise_watch("self", CLOCK_MONOTONIC, 1001);
	noise_watch("self", still, 1002);
	noise_partners_begin();
	OK(noise_partner_cpu(cpu) == 1001, "the CPU of the one that ran");
	OK(noise_partner_cpu(cpu + 1) == -1,
	   "nothing if the measuring thread was elsewhere");
	noise_watch("self", CLOCK_BOOTTIME, 1001);
	OK(noise_partner_cpu(cpu) == 1001, "two on one CPU");
	noise_watch("self", CLOCK_REALTIME, 1003);
	OK(noise_partner_cpu(cpu) == -1, "two on two CPUs");
	noise_unwatch(CLOCK_REALTIME);
	noise_unwatch(CLOCK_BOOTTIME);
	noise_unwatch(CLOCK_MONOTONIC);
	OK(noise_partner_cpu(cpu) == -1, "one that only sleeps is none");
	noise_unwatch(still);
	OK(noise_knows_waits() == known,
	   "what the kernel counts does not depend on partners");
	kill(stopped, SIGKILL);
	waitpid(stopped, NULL, 0);
}

TEST(switches)
{
	struct noise seen;

	noise_begin();
	noise_end(&seen);
	OK(seen.waited_ns >= 0, "no less than nothing");
	if (!noise_knows_waits())
		printf("# this kernel counts no waiting\n");
}

static int64_t own_waits(void)
{
	char text[96];
	int64_t ran, waited;

	sysfile_line(text, sizeof(text), "/proc/self/schedstat");
	return noise_waits(text, &ran, &waited) ? waited : INT64_MAX;
}

/* Beside a process that spins on the CPU that partners() has pinned us to. */
TEST(helpers)
{
	const pid_t spins = fork();
	struct noise seen;

	if (!spins)
		for (;;)
			;
	for (int helped = 0; helped < 2 && noise_knows_waits(); helped++) {
		int64_t until;

		noise_begin();
		until = own_waits() + 1000000;
		while (own_waits() < until)
			usleep(100);
		if (helped)
			bench_helped(INT64_C(1000000000000));
		noise_end(&seen);
		OK((seen.waited_ns > 0) == !helped,
		   "a wait for other work, but none for a partner's children");
	}
	kill(spins, SIGKILL);
	waitpid(spins, NULL, 0);
}
