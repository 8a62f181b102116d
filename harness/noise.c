/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define GAP_NS 1000

void noise_spin(struct noise *noise, const struct timer *t, unsigned int us)
{
	/* CPUID would spend the time in the hypervisor; any order will do. */
	enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_NONE;
	const double gap = 1e-9 * GAP_NS * t->hz;
	uint64_t begin = timer_begin(method), last = begin, now = begin;
	uint64_t end = begin + (uint64_t)(us * t->hz / 1e6);

	while (now < end) {
		now = timer_begin(method);
		if ((double)(now - last) > gap) {
			noise->gaps++;
			noise->lost_ticks += now - last;
			if (now - last > noise->longest_ticks)
				noise->longest_ticks = now - last;
		}
		last = now;
	}
	noise->spun_ticks += now - begin;
}

double noise_lost(const struct noise *noise)
{
	return noise->spun_ticks
		       ? (double)noise->lost_ticks / (double)noise->spun_ticks
		       : 0;
}

char noise_grade(double lost)
{
	if (lost < 0.001)
		return 'A';
	if (lost < 0.01)
		return 'B';
	if (lost < 0.05)
		return 'C';
	return 'D';
}

void noise_read(struct noise_counts *counts)
{
	struct rusage usage;

	counts->involuntary =
		getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
	counts->cpu = sched_getcpu();
}

/* Add what cpu.stat of the group in @dir says. */
static void add_group(struct noise_throttle *t, const char *dir)
{
	char name[PATH_MAX], line[128];
	int64_t n;
	FILE *f;

	if ((size_t)snprintf(name, sizeof(name), "%s/cpu.stat", dir) >=
	    sizeof(name))
		return;
	f = fopen(name, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nr_throttled %" SCNd64, &n) == 1)
			t->periods += n;
		else if (sscanf(line, "throttled_usec %" SCNd64, &n) == 1)
			t->ns += n * 1000; /* v2 */
		else if (sscanf(line, "throttled_time %" SCNd64, &n) == 1)
			t->ns += n; /* v1 */
	}
	fclose(f);
}

/* The group at @mount/@path and all above it: each of them may have a limit,
 * and only its own cpu.stat tells. */
static void add_upwards(struct noise_throttle *t, const char *root,
			const char *mount, const char *path)
{
	char dir[PATH_MAX], *top;
	size_t base = strlen(root) + strlen(mount);

	if ((size_t)snprintf(dir, sizeof(dir), "%s%s%s", root, mount, path) >=
	    sizeof(dir))
		return;
	top = dir + base;
	for (;;) {
		char *slash;

		add_group(t, dir);
		slash = strrchr(top, '/');
		if (!slash)
			return;
		if (!slash[1] && slash == top)
			return; /* "/" was the top itself */
		*slash = '\0';
	}
}

void noise_throttle_read(struct noise_throttle *t, const char *root)
{
	char line[PATH_MAX];
	FILE *f;

	*t = (struct noise_throttle) { 0, 0 };
	snprintf(line, sizeof(line), "%s/proc/self/cgroup", root);
	f = fopen(line, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		controllers++;
		if (!*controllers)
			add_upwards(t, root, "/sys/fs/cgroup", path);
		else if (!strcmp(controllers, "cpu") ||
			 !strcmp(controllers, "cpu,cpuacct"))
			add_upwards(t, root, "/sys/fs/cgroup/cpu", path);
	}
	fclose(f);
}

int64_t noise_throttled(void)
{
	struct noise_throttle t;

	noise_throttle_read(&t, "");
	return t.periods;
}
