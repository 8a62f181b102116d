/* SPDX-License-Identifier: MIT */
/* Opening, reading and closing a set of counters; what lies between two
 * readings is in counters_count.c. */
#include "counters.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arch_ask.h"
#include "counters_set.h"
#include "deadline.h"

#define COUNTERS_CPUS 8192 /* as many as any kernel is built for */

/* Ask the CPU itself: on a hybrid machine the caller's may be of another
 * kind. */
static int ask_cpu(int cpu, struct counters_arch *arch)
{
	struct counters_leaf leaves[COUNTERS_LEAVES];
	cpu_set_t before[COUNTERS_CPUS / CPU_SETSIZE],
		there[COUNTERS_CPUS / CPU_SETSIZE];

	CPU_ZERO_S(sizeof(there), there);
	CPU_SET_S((size_t)cpu, sizeof(there), there);
	if (sched_getaffinity(0, sizeof(before), before) ||
	    sched_setaffinity(0, sizeof(there), there))
		return -errno;
	counters_decode(arch, leaves, counters_cpuid(leaves));
	sched_setaffinity(0, sizeof(before), before);
	return 0;
}

/* Return: 0, or with a sentence in @why -errno. */
static int start_msr(struct counters *c, char *why)
{
	int err;

	snprintf(why, COUNTERS_WHY_MAX, "/dev/cpu/%d/msr", c->target.cpu);
	c->msr_fd = open(why, O_RDWR | O_CLOEXEC);
	if (c->msr_fd < 0) {
		err = -errno;
		snprintf(why, COUNTERS_WHY_MAX,
			 "/dev/cpu/%d/msr: %s; as root: modprobe msr",
			 c->target.cpu, strerror(-err));
		return err;
	}
	err = ask_cpu(c->target.cpu, &c->arch);
	if (err) {
		snprintf(why, COUNTERS_WHY_MAX, "cannot run on CPU %d: %s",
			 c->target.cpu, strerror(-err));
		return err;
	}
	return counters_msr_open(c->msr, &counters_msr_device, &c->msr_fd,
				 &c->arch, c->user_only,
				 (uint64_t)clock_now_ns(CLOCK_MONOTONIC), why);
}

/* In place of perf, for the hardware's events of one CPU. */
static void open_msr(struct counters *c)
{
	char why[COUNTERS_WHY_MAX];
	const int err = start_msr(c, why);

	for (int e = 0; e < COUNTERS_HARDWARE; e++) {
		c->opened[e] = c->msr->event[e].reg != 0;
		snprintf(c->why[e], sizeof(c->why[e]), "%s",
			 err ? why
			     : "the processor has no register left for it");
	}
	c->wanted_pmus = 1;
}

/* Where only the user's part may be counted perf has no switches, for they
 * happen in the kernel, and not all faults; of the calling thread the kernel
 * tells them all the same. */
static void use_rusage(struct counters *c)
{
	const unsigned int told =
		1u << COUNTERS_PAGE_FAULTS | 1u << COUNTERS_CONTEXT_SWITCHES;

	if (c->target.kind != COUNTERS_SELF)
		return;
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (told >> e & 1 && !c->opened[e]) {
			c->usage |= 1u << e;
			c->opened[e] = 1;
		}
}

static void bar(struct counters *c, enum counters_event event, const char *why)
{
	c->barred |= 1u << event;
	snprintf(c->why[event], COUNTERS_WHY_MAX, "%s", why);
}

/* AMD's cores cannot see it, and what the kernel's generic cache events count
 * there is the second level. */
static void bar_events(struct counters *c, unsigned int flags)
{
	const char *why = arch_no_llc(c->arch.vendor);

	if (why) {
		bar(c, COUNTERS_LLC_REFERENCES, why);
		bar(c, COUNTERS_LLC_MISSES, why);
	}
	if (c->target.kind == COUNTERS_CPU)
		bar(c, COUNTERS_TASK_CLOCK, "a CPU has none: see /proc/stat");
	if (flags & COUNTERS_MSR) /* which are asked for them */
		c->barred |= (1u << COUNTERS_HARDWARE) - 1;
}

/* Return: 0, -EINVAL or -ENODEV. */
static int fits(const struct counters_target *t, unsigned int flags)
{
	const bool cpu = t->kind == COUNTERS_CPU;
	char path[80];

	if (cpu ? t->cpu < 0 : flags & COUNTERS_MSR)
		return -EINVAL;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", t->cpu);
	return cpu && t->cpu > 0 && access(path, F_OK) ? -ENODEV : 0;
}

int counters_open(struct counters **out, const struct counters_target *target,
		  unsigned int flags)
{
	struct counters_leaf leaves[COUNTERS_LEAVES];
	struct counters *c;
	int err = fits(target, flags);

	*out = NULL;
	if (err)
		return err;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->target = *target;
	c->msr_fd = -1;
	c->user_only = flags & COUNTERS_USER;
	counters_decode(&c->arch, leaves, counters_cpuid(leaves));
	c->pmus = counters_pmu_find(COUNTERS_DEVICES, c->pmu);
	bar_events(c, flags);
	c->msr = flags & COUNTERS_MSR ? calloc(1, sizeof(*c->msr)) : NULL;
	err = flags & COUNTERS_MSR && !c->msr ? -ENOMEM : counters_perf_open(c);
	if (err) {
		counters_close(c);
		return err;
	}
	if (c->msr)
		open_msr(c);
	use_rusage(c);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (!c->opened[e] && !c->why[e][0])
			snprintf(c->why[e], COUNTERS_WHY_MAX,
				 "the kernel has no counters of this CPU");
	*out = c;
	return 0;
}

void counters_close(struct counters *c)
{
	if (!c)
		return;
	counters_perf_close(c);
	if (c->msr)
		counters_msr_close(c->msr);
	if (c->msr_fd >= 0)
		close(c->msr_fd);
	counters_pmu_free(c->pmu, c->pmus);
	free(c->msr);
	free(c);
}

const char *counters_why(const struct counters *c, enum counters_event event)
{
	return c->opened[event] ? NULL : c->why[event];
}

bool counters_user_only(const struct counters *c)
{
	return c->user_only;
}

unsigned int counters_pmus(const struct counters *c)
{
	return c->pmus;
}

const char *counters_pmu_name(const struct counters *c, unsigned int nth)
{
	return nth < c->pmus ? c->pmu[nth].name : NULL;
}

static void read_rusage(const struct counters *c, struct counters_reading *now)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (c->usage >> e & 1)
			now->raw[0][e] = (struct counters_raw) {
				(uint64_t)(e == COUNTERS_PAGE_FAULTS
						   ? u.ru_minflt + u.ru_majflt
						   : u.ru_nvcsw + u.ru_nivcsw),
				now->before_ns, now->before_ns
			};
}

static int read_msr(const struct counters *c, struct counters_reading *now)
{
	const int err = counters_msr_read(c->msr, now->before_ns);

	for (int e = 0; e < COUNTERS_HARDWARE; e++)
		if (c->msr->event[e].reg)
			now->raw[0][e] = (struct counters_raw) {
				.value = c->msr->event[e].sum,
				.enabled_ns = now->before_ns,
				.running_ns = now->before_ns - c->msr->lost_ns,
			};
	return err;
}

int counters_read(const struct counters *c, struct counters_reading *now)
{
	int err;

	memset(now, 0, sizeof(*now));
	now->before_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
	err = counters_perf_read(c, now);
	if (c->usage)
		read_rusage(c, now);
	if (!err && c->msr)
		err = read_msr(c, now);
	now->after_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
	return err;
}

int counters_start(struct counters *c)
{
	return counters_read(c, &c->start);
}

int counters_stop(struct counters *c, struct counters_counts *out)
{
	struct counters_reading now;
	int err = counters_read(c, &now);

	if (!err)
		counters_delta(c, &c->start, &now, out);
	return err;
}
