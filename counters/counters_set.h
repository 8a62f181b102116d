/* SPDX-License-Identifier: MIT */
#ifndef COUNTERS_SET_H
#define COUNTERS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "counters_msr.h"
#include "counters_pmu.h"

/* The inside of a set of counters: private to them and to their tests. */
#define COUNTERS_GROUP_MAX 4
#define COUNTERS_WHY_MAX   200

/* Events that are scheduled together; one read() gives them all. */
struct counters_group {
	int fd[COUNTERS_GROUP_MAX];
	enum counters_event event[COUNTERS_GROUP_MAX];
	size_t n;
	unsigned int pmu; /* index; 0 for the kernel's events */
};

struct counters {
	struct counters_target target;
	struct counters_arch arch; /* of the processor */
	struct counters_pmu pmu[COUNTERS_PMUS];
	unsigned int pmus;
	unsigned int wanted_pmus; /* bit for each that may count here */
	unsigned int opened[COUNTERS_EVENTS]; /* bit for each PMU */
	unsigned int failed[COUNTERS_EVENTS]; /* the same, for any thread */
	unsigned int barred; /* bit for each event that is not to be tried */
	bool user_only, inherit, on_exec;
	unsigned int usage; /* bit for each event taken from getrusage() */
	struct counters_group *groups;
	size_t n_groups;
	struct counters_msr *msr;
	int msr_fd;
	char why[COUNTERS_EVENTS][COUNTERS_WHY_MAX];
	struct counters_reading start;
};

/* counters_perf_open() - open what can be opened for the target: fills groups,
 * opened, wanted_pmus and why.  Return: as counters_open().
 * counters_perf_read() - add what the groups hold to @now; 0 or -errno. */
int counters_perf_open(struct counters *c);
int counters_perf_read(const struct counters *c, struct counters_reading *now);
void counters_perf_close(struct counters *c);

#endif
