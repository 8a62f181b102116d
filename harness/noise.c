/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "groups.h"

#define GAP_NS	  1000
#define GAP_READS 10 /* a gap is longer than as many reads of the clock */
#define TRIES	  8

double noise_gap_ticks(enum timer_method method, double hz)
{
	uint64_t read = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t ticks = timer_empty(method);

		read = ticks < read ? ticks : read;
	}
	return fmax(1e-9 * GAP_NS * hz, GAP_READS * (double)read);
}

void noise_spin(struct noise *noise, const struct timer *t, unsigned int us)
{
	/* CPUID would spend the time in the hypervisor; any order will do. */
	enum timer_method method =
		t->method == TIMER_CLOCK ? TIMER_CLOCK : TIMER_NONE;
	const double gap = noise_gap_ticks(method, t->hz);
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

/* Of this thread alone: RUSAGE_SELF brings its run time up to date and so ends
 * its slice; a task that waits has the CPU there and then, in no interval. */
void noise_read(struct noise_counts *counts)
{
	struct rusage usage;

	counts->involuntary =
		getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
	counts->cpu = sched_getcpu();
}

/* Add what cpu.stat of the group in @dir says. */
static void add_group(void *arg, const char *dir, bool is_v2)
{
	struct noise_throttle *t = arg;
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
		else if (is_v2 &&
			 sscanf(line, "throttled_usec %" SCNd64, &n) == 1)
			t->ns += n * 1000;
		else if (!is_v2 &&
			 sscanf(line, "throttled_time %" SCNd64, &n) == 1)
			t->ns += n;
	}
	fclose(f);
}

void noise_throttle_read(struct noise_throttle *t, const char *root)
{
	*t = (struct noise_throttle) { 0, 0 };
	groups_visit(root, "cpu", add_group, t);
}

int64_t noise_throttled(void)
{
	struct noise_throttle t;

	noise_throttle_read(&t, "");
	return t.periods;
}
