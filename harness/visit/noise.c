/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "groups.h"
#include "sysfile.h"

#define MOST_GROUPS 16
#define GROUP_BYTES 1024
#define STAT_BYTES  65536 /* CPUs come first: lines of 600 and more */

/* The measuring thread is the first.  Behind the last is what helped. */
static _Thread_local struct noise_task *task;
static _Thread_local size_t members;
static _Thread_local double total_ns; /* waited, also between samples */
/* The last reading, and how many members there were then. */
static _Thread_local struct {
	int64_t involuntary, switches, helped_ns, at_ns;
	size_t members;
	double waited_ns;
	int cpu;
} last;

bool noise_waits(const char *schedstat, int64_t *ran_ns, int64_t *waited_ns)
{
	*ran_ns = field_number(field_nth(schedstat, 0), 0);
	*waited_ns = field_number(field_nth(schedstat, 1), -1);
	return *ran_ns > 0 && *waited_ns >= 0;
}

/* How long @t has waited since it was read last; 0 if it cannot be read. */
static int64_t waited(struct noise_task *t)
{
	const int64_t before = t->waited_ns;
	char text[96];
	int64_t run;

	t->known = noise_waits(sysfile_again(t->fd, text, sizeof(text)), &run,
			       &t->waited_ns);
	return t->known ? t->waited_ns - before : 0;
}

static int64_t ran(struct noise_task *t)
{
	const int64_t before = t->ran_ns;

	t->ran_ns = clock_now_ns(t->clock);
	return t->ran_ns - before;
}

/* @name: its directory in /proc. */
static void add(const char *name, clockid_t clock, int cpu)
{
	struct noise_task *t = realloc(task, (members + 2) * sizeof(*t));
	char path[64];

	if (!t)
		return;
	snprintf(path, sizeof(path), "/proc/%s/schedstat", name);
	task = t;
	t += members;
	*t = (struct noise_task) { .cpu = cpu,
				   .fd = open(path, O_RDONLY | O_CLOEXEC),
				   .clock = clock };
	waited(t);
	ran(t);
	t->before_ns = t->ran_ns;
	members++;
}

static void add_self(void)
{
	if (!members)
		add("self", CLOCK_THREAD_CPUTIME_ID, sched_getcpu());
}

void noise_watch(const char *name, clockid_t clock, int cpu)
{
	add_self();
	add(name, clock, cpu);
}

void noise_alone(void)
{
	task = NULL;
	members = 0;
}

void noise_unwatch(clockid_t clock)
{
	for (size_t i = members; i-- > 1;)
		if (task[i].clock == clock) {
			close(task[i].fd);
			task[i] = task[--members];
		}
	/* Alone again: a thread that ends leaves nothing. */
	if (members == 1) {
		close(task[0].fd);
		free(task);
		noise_alone();
	}
}

void noise_partners_begin(void)
{
	for (size_t i = 0; i < members; i++)
		task[i].before_ns = clock_now_ns(task[i].clock);
}

int noise_partner_cpu(int cpu)
{
	int other = -1;

	for (size_t i = 0; i < members; i++) {
		if (task[i].cpu == cpu ||
		    clock_now_ns(task[i].clock) == task[i].before_ns)
			continue;
		/* The first is the measuring thread. */
		if (!i || (other >= 0 && other != task[i].cpu))
			return -1;
		other = task[i].cpu;
	}
	return other;
}

bool noise_knows_waits(void)
{
	add_self();
	return members && task[0].known;
}

void bench_helped(int64_t ns)
{
	last.helped_ns -= ns; /* as if less had been read last */
}

/* CPU time of children that ended, and of threads if there is no partner. */
static int64_t helped_ns(void)
{
	const struct rusage u = bench_usage(RUSAGE_CHILDREN);
	int64_t ns = members > 1
			     ? 0
			     : clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) -
				       clock_now_ns(CLOCK_THREAD_CPUTIME_ID);

	ns += (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000000);
	return ns + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

int64_t noise_waited(const struct noise_task *tasks, size_t n, int64_t span_ns)
{
	int64_t most = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t waited = tasks[i].waited;

		/* The span may be INT64_MAX, and of two clocks ran less than 0.
		 */
		if (span_ns - waited < tasks[i].ran)
			waited = span_ns - tasks[i].ran;
		for (size_t k = 0; waited > most && k < n; k++)
			if (k != i && tasks[k].cpu == tasks[i].cpu)
				waited -= tasks[k].ran;
		most = waited > most ? waited : most;
	}
	return most;
}

/* This thread alone: RUSAGE_SELF brings its run time up to date and so ends its
 * slice; a task that waits has the CPU there and then, in no interval.  Return:
 * its involuntary switches so far. */
static long read_all(void)
{
	const int64_t helped = last.helped_ns;
	const int64_t from = last.at_ns;
	const bool same = last.members == members;
	struct rusage usage;
	int64_t switches;

	add_self();
	last.at_ns = members > 1 ? clock_now_ns(CLOCK_MONOTONIC) : 0;
	usage = bench_usage(RUSAGE_THREAD);
	switches = usage.ru_nvcsw + usage.ru_nivcsw;
	for (size_t i = 0; i < members; i++) {
		struct noise_task *t = &task[i];
		/* A thread that did not leave the CPU has not waited. */
		const bool moved = i || switches != last.switches;

		t->waited = moved ? waited(t) : 0;
		t->ran = members > 1 ? ran(t) : 0;
	}
	if (switches != last.switches)
		last.helped_ns = helped_ns();
	if (members)
		task[members] = (struct noise_task) {
			.cpu = task[0].cpu,
			/* From two clocks, which are not read at once. */
			.ran = same && last.helped_ns > helped
				       ? last.helped_ns - helped
				       : 0,
		};
	last.switches = switches;
	last.members = members;
	last.waited_ns = (double)noise_waited(task, members + !!members,
					      same && from ? last.at_ns - from
							   : INT64_MAX);
	total_ns += last.waited_ns;
	return usage.ru_nivcsw;
}

double bench_waits(void)
{
	return total_ns;
}

void noise_begin(void)
{
	last.involuntary = read_all();
	last.cpu = sched_getcpu();
	if (members)
		task[0].cpu = last.cpu;
}

void noise_end(struct noise *seen)
{
	seen->involuntary = (uint64_t)(read_all() - last.involuntary);
	seen->migrated = sched_getcpu() != last.cpu;
	seen->waited_ns = last.waited_ns;
}

/* Files that count what is taken, as long as it can be taken; open. */
static struct {
	int stat, group[MOST_GROUPS];
	size_t groups;
	bool opened;
} taken;

/* Read the cpu.stat @fd, version 2's or 1's; no periods (-1): a group without a
 * quota, as the one at the top, has no such number. */
static struct noise_throttle read_group(int fd)
{
	char text[GROUP_BYTES];

	sysfile_again(fd, text, sizeof(text));
	return (struct noise_throttle) {
		.periods = field_number(field_behind(text, "nr_throttled"), -1),
		.ns = field_number(field_behind(text, "throttled_usec"), 0) *
			      1000 +
		      field_number(field_behind(text, "throttled_time"), 0),
	};
}

/* Add what the group in @dir says to @arg; NULL: keep its file open. */
static void see_group(void *arg, const char *dir, bool is_v2)
{
	struct noise_throttle *sum = arg, one;
	char name[PATH_MAX + 16];
	int fd;

	snprintf(name, sizeof(name), "%s/cpu.stat", dir);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	one = read_group(fd);
	if (sum && one.periods > 0) {
		sum->periods += one.periods;
		sum->ns += one.ns;
	}
	if (!sum && one.periods >= 0 && taken.groups < MOST_GROUPS)
		taken.group[taken.groups++] = fd;
	else if (fd >= 0)
		close(fd);
}

void noise_throttle_read(struct noise_throttle *t, const char *root)
{
	*t = (struct noise_throttle) { 0, 0 };
	groups_visit(root, "cpu", see_group, t);
}

int64_t noise_stolen(const char *stat, int cpu)
{
	char key[24];

	snprintf(key, sizeof(key), cpu < 0 ? "cpu" : "cpu%d", cpu);
	return field_number(field_nth(field_behind(stat, key), 7), 0);
}

void noise_taken_read(struct noise_taken *t, const int cpu[2])
{
	static char text[STAT_BYTES];

	*t = (struct noise_taken) { 0 };
	if (!taken.opened) {
		taken.opened = true;
		groups_visit("", "cpu", see_group, NULL);
		taken.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
		if (!noise_stolen(sysfile_again(taken.stat, text, sizeof(text)),
				  -1)) {
			close(taken.stat);
			taken.stat = -1;
		}
	}
	for (size_t i = 0; i < taken.groups; i++) {
		const int64_t periods = read_group(taken.group[i]).periods;

		t->throttled += periods < 0 ? 0 : periods;
	}
	sysfile_again(taken.stat, text, sizeof(text));
	for (int i = 0; i < 2; i++)
		t->stolen[i] = cpu[i] < 0 ? 0 : noise_stolen(text, cpu[i]);
}
