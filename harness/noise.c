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

static int64_t read_throttled(const char *root, const char *path)
{
	char name[PATH_MAX], line[128];
	int64_t n = 0;
	FILE *f;

	if ((size_t)snprintf(name, sizeof(name), "%s%s/cpu.stat", root, path) >=
	    sizeof(name))
		return 0;
	f = fopen(name, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "nr_throttled %" SCNd64, &n) == 1)
			break;
	fclose(f);
	return n;
}

int64_t noise_throttled(void)
{
	char line[PATH_MAX];
	int64_t n = 0;
	FILE *f = fopen("/proc/self/cgroup", "re");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		path[strcspn(path, "\n")] = '\0';
		controllers++;
		if (!*controllers)
			n += read_throttled("/sys/fs/cgroup", path);
		else if (!strcmp(controllers, "cpu") ||
			 !strcmp(controllers, "cpu,cpuacct"))
			n += read_throttled("/sys/fs/cgroup/cpu", path);
	}
	fclose(f);
	return n;
}
