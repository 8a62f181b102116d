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
	cpu_set_t *before = CPU_ALLOC(COUNTERS_CPUS),
		  *there = CPU_ALLOC(COUNTERS_CPUS);
	size_t size = CPU_ALLOC_SIZE(COUNTERS_CPUS);
	int err = before && there ? 0 : -ENOMEM;

	if (!err) {
		CPU_ZERO_S(size, there);
		CPU_SET_S((size_t)cpu, size, there);
		if (sched_getaffinity(0, size, before) ||
		    sched_setaffinity(0, size, there))
			err = -errno;
	}
	if (!err) {
		counters_decode(arch, leaves, counters_cpuid(leaves));
		sched_setaffinity(0, size, before);
	}
	CPU_FREE(before);
	CPU_FREE(there);
	return err;
}

static int start_msr(struct counters *c, char *why)
{
	int err = ask_cpu(c->target.cpu, &c->arch);

	if (!err) {
		c->msr = calloc(1, sizeof(*c->msr));
		err = c->msr ? 0 : -ENOMEM;
	}
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
	char path[64], why[COUNTERS_WHY_MAX];
	int err;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", c->target.cpu);
	c->msr_fd = open(path, O_RDWR | O_CLOEXEC);
	if (c->msr_fd < 0) {
		err = errno;
		snprintf(why, sizeof(why), "%s: %s; as root: modprobe msr",
			 path, strerror(err));
	} else {
		err = start_msr(c, why);
	}
	if (err && c->msr) {
		free(c->msr);
		c->msr = NULL;
	}
	for (int e = 0; e < COUNTERS_HARDWARE; e++) {
		if (c->msr && c->msr->counter[e])
			c->opened[e] = 1;
		else
			snprintf(c->why[e], sizeof(c->why[e]), "%s",
				 err ? why
				     : "the processor has no register left "
				       "for it");
	}
	c->wanted_pmus = 1;
}

/* Where only the user's part may be counted perf has no switches, for they
 * happen in the kernel, and not all faults; of the calling thread the kernel
 * tells them all the same. */
static void use_rusage(struct counters *c)
{
	static const enum counters_event told[] = { COUNTERS_PAGE_FAULTS,
						    COUNTERS_CONTEXT_SWITCHES };

	if (c->target.kind != COUNTERS_SELF || c->inherit)
		return;
	for (size_t i = 0; i < 2; i++)
		if (!c->opened[told[i]]) {
			c->usage |= 1u << told[i];
			c->opened[told[i]] = 1;
		}
}

/* AMD's cores cannot see it, and what the kernel's generic cache events count
 * there is the second level. */
static void bar_events(struct counters *c)
{
	static const enum counters_event cache[] = { COUNTERS_LLC_REFERENCES,
						     COUNTERS_LLC_MISSES };
	const char *why = arch_no_llc(c->arch.vendor);

	for (size_t i = 0; why && i < 2; i++) {
		c->barred |= 1u << cache[i];
		snprintf(c->why[cache[i]], COUNTERS_WHY_MAX, "%s", why);
	}
	if (c->target.kind == COUNTERS_CPU) {
		c->barred |= 1u << COUNTERS_TASK_CLOCK;
		snprintf(c->why[COUNTERS_TASK_CLOCK], COUNTERS_WHY_MAX,
			 "a CPU has none: see /proc/stat");
	}
}

static bool fits(const struct counters_target *t, unsigned int flags)
{
	bool cpu = t->kind == COUNTERS_CPU || t->kind == COUNTERS_CGROUP;

	if (flags & COUNTERS_INHERIT && t->kind != COUNTERS_SELF)
		return false;
	if (flags & COUNTERS_ON_EXEC && t->kind != COUNTERS_PROCESS)
		return false;
	if (flags & COUNTERS_MSR && t->kind != COUNTERS_CPU)
		return false;
	return !(cpu && t->cpu < 0) &&
	       !(t->kind == COUNTERS_PROCESS && t->pid <= 0) &&
	       !(t->kind == COUNTERS_CGROUP && !t->cgroup);
}

static bool cpu_is_there(int cpu)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	return !access(path, F_OK);
}

int counters_open(struct counters **out, const struct counters_target *target,
		  unsigned int flags)
{
	struct counters_leaf leaves[COUNTERS_LEAVES];
	struct counters *c;
	int err;

	*out = NULL;
	if (!fits(target, flags))
		return -EINVAL;
	if (target->cpu > 0 && !cpu_is_there(target->cpu) &&
	    (target->kind == COUNTERS_CPU || target->kind == COUNTERS_CGROUP))
		return -ENODEV;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->target = *target;
	c->msr_fd = -1;
	c->user_only = flags & COUNTERS_USER;
	c->inherit =
		flags & COUNTERS_INHERIT || target->kind == COUNTERS_PROCESS;
	c->on_exec = flags & COUNTERS_ON_EXEC;
	counters_decode(&c->arch, leaves, counters_cpuid(leaves));
	c->pmus = counters_pmu_find(COUNTERS_DEVICES, c->pmu);
	bar_events(c);
	if (flags & COUNTERS_MSR)
		c->barred |= (1u << COUNTERS_HARDWARE) - 1;
	err = counters_perf_open(c);
	if (err) {
		counters_close(c);
		return err;
	}
	if (flags & COUNTERS_MSR)
		open_msr(c);
	use_rusage(c);
	c->target.cgroup = NULL; /* the caller's */
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
	free(c->groups);
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
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	for (int e = COUNTERS_HARDWARE; e < COUNTERS_EVENTS; e++) {
		struct counters_raw *raw = &now->raw[0][e];

		if (!(c->usage >> e & 1))
			continue;
		raw->value =
			(uint64_t)(e == COUNTERS_PAGE_FAULTS
					   ? usage.ru_minflt + usage.ru_majflt
					   : usage.ru_nvcsw + usage.ru_nivcsw);
		raw->enabled_ns = raw->running_ns = now->before_ns;
	}
}

static int read_msr(const struct counters *c, struct counters_reading *now)
{
	int err = counters_msr_read(c->msr, now->before_ns);

	for (int e = 0; e < COUNTERS_HARDWARE; e++) {
		struct counters_raw *raw = &now->raw[0][e];

		if (!c->msr->counter[e])
			continue;
		raw->value = c->msr->sum[e];
		raw->enabled_ns = now->before_ns;
		raw->running_ns = raw->enabled_ns - c->msr->lost_ns;
	}
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
