/* SPDX-License-Identifier: MIT */
/* The kernel's interface: groups of events, opened for a target and read. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters_set.h"
#include "sysfile.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* Events of a group are read together.  The groups are small, so that each fits
 * beside other users' events; instructions and cycles share one, so that their
 * ratio is exact even where groups take turns. */
static const enum counters_event group_of_hardware[][2] = {
	{ COUNTERS_INSTRUCTIONS, COUNTERS_CYCLES },
	{ COUNTERS_REF_CYCLES, COUNTERS_EVENTS },
	{ COUNTERS_LLC_REFERENCES, COUNTERS_LLC_MISSES },
	{ COUNTERS_BRANCHES, COUNTERS_BRANCH_MISSES },
};

static const struct perf_event {
	const char *name;
	uint32_t type;
	uint64_t config;
} perf_events[COUNTERS_EVENTS] = {
#define HARDWARE(NAME) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##NAME
#define SOFTWARE(NAME) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##NAME
	[COUNTERS_INSTRUCTIONS] = { "instructions", HARDWARE(INSTRUCTIONS) },
	[COUNTERS_CYCLES] = { "cycles", HARDWARE(CPU_CYCLES) },
	[COUNTERS_REF_CYCLES] = { "ref_cycles", HARDWARE(REF_CPU_CYCLES) },
	[COUNTERS_LLC_REFERENCES] = { "llc_references",
				      HARDWARE(CACHE_REFERENCES) },
	[COUNTERS_LLC_MISSES] = { "llc_misses", HARDWARE(CACHE_MISSES) },
	[COUNTERS_BRANCHES] = { "branches", HARDWARE(BRANCH_INSTRUCTIONS) },
	[COUNTERS_BRANCH_MISSES] = { "branch_misses", HARDWARE(BRANCH_MISSES) },
	[COUNTERS_TASK_CLOCK] = { "task_clock_ns", SOFTWARE(TASK_CLOCK) },
	[COUNTERS_PAGE_FAULTS] = { "page_faults", SOFTWARE(PAGE_FAULTS) },
	[COUNTERS_CONTEXT_SWITCHES] = { "context_switches",
					SOFTWARE(CONTEXT_SWITCHES) },
	[COUNTERS_MIGRATIONS] = { "cpu_migrations", SOFTWARE(CPU_MIGRATIONS) },
};

const char *counters_name(enum counters_event event)
{
	return perf_events[event].name;
}

static int perf_open(struct perf_event_attr *attr, const struct counters *c,
		     int leader)
{
	const bool self = c->target.kind == COUNTERS_SELF;
	long fd;

	do
		fd = syscall(SYS_perf_event_open, attr, self ? 0 : -1,
			     self ? -1 : c->target.cpu, leader,
			     PERF_FLAG_FD_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

/* Many CPUs are many files: take as many as the system lets this process. */
static bool more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

static void explain(struct counters *c, enum counters_event event, int err)
{
	struct counters_refusal r = {
		.err = -err,
		.event = event,
		.kind = c->target.kind,
		.pmus = c->pmus,
		.hypervisor = c->arch.hypervisor,
		.paranoid = (int)sysfile_number(-1, NULL, PARANOID),
	};

	if (!c->why[event][0])
		counters_explain(&r, c->why[event], COUNTERS_WHY_MAX);
}

/* Switches happen in the kernel: without it there are always none.  Some of a
 * thread's faults do, and getrusage() knows them all. */
static bool needs_kernel(const struct counters *c, enum counters_event event)
{
	return event == COUNTERS_CONTEXT_SWITCHES ||
	       event == COUNTERS_MIGRATIONS ||
	       (event == COUNTERS_PAGE_FAULTS &&
		c->target.kind == COUNTERS_SELF);
}

/* Open one event; if the kernel's part may not be seen, without it where that
 * leaves something to count. */
static int open_event(struct counters *c, enum counters_event event,
		      unsigned int pmu, int leader)
{
	bool hardware = event < COUNTERS_HARDWARE;
	const struct perf_event *p = &perf_events[event];
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = p->type,
		.config = hardware ? counters_pmu_config(p->config,
							 &c->pmu[pmu], c->pmus)
				   : p->config,
		.read_format = PERF_FORMAT_GROUP |
			       PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = hardware && c->user_only,
		.exclude_hv = hardware && c->user_only,
	};
	int fd = perf_open(&attr, c, leader);

	if (fd == -EMFILE && more_files())
		fd = perf_open(&attr, c, leader);
	if ((fd != -EACCES && fd != -EPERM) || attr.exclude_kernel ||
	    needs_kernel(c, event))
		return fd;
	attr.exclude_kernel = attr.exclude_hv = 1;
	fd = perf_open(&attr, c, leader);
	if (fd >= 0 && hardware)
		c->user_only = true;
	return fd;
}

/* Open those of @events that can be had as a group.  Return: 0, or the error of
 * the first event if none could be had. */
static int open_group(struct counters *c, const enum counters_event *events,
		      size_t n, unsigned int pmu)
{
	struct counters_group *g = &c->groups[c->n_groups];
	int first = 0;

	g->pmu = pmu;
	for (size_t i = 0; i < n; i++) {
		int fd;

		if (events[i] == COUNTERS_EVENTS || c->barred >> events[i] & 1)
			continue;
		fd = open_event(c, events[i], pmu, g->n ? g->fd[0] : -1);
		if (fd < 0) {
			explain(c, events[i], fd);
			first = first ? first : fd;
			continue;
		}
		g->fd[g->n] = fd;
		g->event[g->n++] = events[i];
		c->opened[events[i]] |= 1u << pmu;
	}
	if (!g->n)
		return first;
	c->n_groups++;
	return 0;
}

int counters_perf_open(struct counters *c)
{
	static const enum counters_event software[] = {
		COUNTERS_PAGE_FAULTS,
		COUNTERS_TASK_CLOCK,
		COUNTERS_CONTEXT_SWITCHES,
		COUNTERS_MIGRATIONS,
	};
	const size_t n = sizeof(group_of_hardware) / sizeof(*group_of_hardware);
	const bool cpu = c->target.kind == COUNTERS_CPU;
	const int err = open_group(c, software, COUNTERS_GROUP_MAX, 0);

	/* Distinguish a missing event from a forbidden one. */
	if (cpu && (err == -ENODEV || err == -EINVAL))
		return -ENODEV;
	/* Where sysfs shows none the kernel is asked all the same: it has the
	 * last word, and gives the reason. */
	for (unsigned int p = 0; p == 0 || p < c->pmus; p++) {
		if (cpu && c->pmus &&
		    !counters_pmu_has(&c->pmu[p], c->target.cpu))
			continue;
		c->wanted_pmus |= 1u << p;
		for (size_t i = 0; i < n; i++)
			(void)open_group(c, group_of_hardware[i], 2, p);
	}
	return 0;
}

void counters_perf_close(struct counters *c)
{
	for (size_t i = 0; i < c->n_groups; i++)
		for (size_t k = c->groups[i].n; k > 0; k--)
			close(c->groups[i].fd[k - 1]);
}

/* The kernel's answer for a group: its size, the two times, the values. */
static int read_group(const struct counters_group *g,
		      struct counters_reading *now)
{
	uint64_t data[3 + COUNTERS_GROUP_MAX];
	ssize_t n;

	do
		n = read(g->fd[0], data, sizeof(data));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* Nothing to be read: the counters are in error and stand still. */
	if (n < (ssize_t)((3 + g->n) * sizeof(data[0])) || data[0] != g->n)
		return 0;
	for (size_t i = 0; i < g->n; i++) {
		struct counters_raw *raw = &now->raw[g->pmu][g->event[i]];

		raw->value += data[3 + i];
		raw->enabled_ns += data[1];
		raw->running_ns += data[2];
	}
	return 0;
}

int counters_perf_read(const struct counters *c, struct counters_reading *now)
{
	int err = 0;

	for (size_t i = 0; i < c->n_groups && !err; i++)
		err = read_group(&c->groups[i], now);
	return err;
}
