/* SPDX-License-Identifier: MIT */
#include "noise.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "groups.h"

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
