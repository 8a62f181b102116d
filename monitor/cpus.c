// SPDX-License-Identifier: MIT
#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "deadline.h"
#include "sysfile.h"

/* More than any kernel is built for. */
#define CPU_LIMIT  8192
#define STAT_TRIES 5

struct cpu {
	int number;
	struct os_track os;
	struct counters *counters;
	struct counters_reading last;
	bool primed; /* last is of these counters */
	/* Inode of the CPU's directory in sysfs, which is removed with a CPU
	 * that goes: it gets another when it comes back. 0: none. */
	uint64_t inode;
	double width[COUNTERS_PMUS]; /* once there were counters */
};

struct cpus {
	const struct settings *settings;
	const struct cpu_model *model;
	struct cpu_times times[CPU_LIMIT];
	struct cpu cpu[CPU_LIMIT];
	size_t n;
	uint64_t tick_ns;
	uint64_t last_ns; /* of the last reading, 0: none */
};

struct stamp stamp_now(void)
{
	return (struct stamp) {
		.mono_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC),
		.real_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME),
	};
}

static void open_counters(struct cpus *all, struct cpu *cpu)
{
	const struct counters_target target = {
		.kind = COUNTERS_CPU,
		.cpu = cpu->number,
	};

	if (!counters_open(&cpu->counters, &target,
			   all->settings->msr ? COUNTERS_MSR : 0))
		cpu_model_widths(all->model, cpu->counters, cpu->width);
}

/* Whether the CPU was taken away and came back, which /proc/stat does not
 * tell: that time would count as load. */
static bool was_away(struct cpu *cpu)
{
	const uint64_t before = cpu->inode;
	char path[80];
	struct stat st;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu->number);
	cpu->inode = stat(path, &st) ? 0 : st.st_ino;
	return before && cpu->inode != before;
}

/* The same by what the kernel counts itself, where sysfs is not to be seen. */
static bool missed_time(const struct cpu *cpu, const struct row *row)
{
	const enum counters_event event = COUNTERS_CONTEXT_SWITCHES;

	return cpu->primed && !counters_why(cpu->counters, event) &&
	       !row->counts.count[event].known;
}

/* The counters of a CPU that went are dead when it comes back. */
static void forget(struct cpu *cpu)
{
	counters_close(cpu->counters);
	cpu->counters = NULL;
	cpu->primed = false;
}

static void count_live(struct cpus *all, struct cpu *cpu, struct row *row)
{
	struct counters_reading now;

	if (!cpu->counters)
		open_counters(all, cpu);
	if (!cpu->counters || counters_read(cpu->counters, &now))
		return;
	if (cpu->primed)
		counters_delta(cpu->counters, &cpu->last, &now, &row->counts);
	if (missed_time(cpu, row)) {
		row->os = os_load_unknown(OS_LOST);
		forget(cpu);
		return;
	}
	cpu->last = now;
	cpu->primed = true;
}

static void fill_row(struct cpus *all, struct cpu *cpu, struct row *row,
		     const struct stamp *at)
{
	/* Where there is none it says offline. */
	const struct cpu_times *times = &all->times[cpu->number];

	memset(row, 0, sizeof(*row));
	row->at = *at;
	row->cpu = cpu->number;
	row->interval_ns = all->last_ns ? at->mono_ns - all->last_ns : 0;
	memcpy(row->width, cpu->width, sizeof(row->width));
	row->os = os_track_update(&cpu->os, times, at->mono_ns, all->tick_ns);
	if (was_away(cpu) && times->online && row->os.state == OS_OK)
		row->os = os_load_unknown(OS_LOST);
	if (row->os.state == OS_OFFLINE || row->os.state == OS_LOST)
		forget(cpu);
	if (times->online)
		count_live(all, cpu, row);
}

/* Whoever is kept from running between the clock and the file gives the idle
 * time of a longer interval than he says: then once more. */
static int read_stat(struct cpus *all, struct stamp *at)
{
	char *text = NULL;
	bool known;
	int tries = 0;

	do {
		free(text);
		*at = stamp_now();
		text = sysfile_text("/proc/stat");
	} while (text && ++tries < STAT_TRIES &&
		 stamp_now().mono_ns - at->mono_ns > all->tick_ns);
	if (!text)
		return -errno;
	known = cpu_times_parse(text, all->times, CPU_LIMIT);
	free(text);
	return known ? 0 : -ENODATA;
}

int cpus_sample(struct cpus *all, struct row *rows)
{
	struct stamp at;
	const int err = read_stat(all, &at);

	for (size_t i = 0; !err && i < all->n; i++)
		fill_row(all, &all->cpu[i], &rows[i], &at);
	if (!err)
		all->last_ns = at.mono_ns;
	return err;
}

size_t cpus_count(const struct cpus *all)
{
	return all->n;
}

const struct counters *cpus_counters(const struct cpus *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->cpu[i].counters)
			return all->cpu[i].counters;
	return NULL;
}

void cpus_close(struct cpus *all)
{
	for (size_t i = 0; all && i < all->n; i++)
		forget(&all->cpu[i]);
	free(all);
}

/* Whether @cpu is plugged in: by the kernel's list, or where sysfs is not to be
 * seen by /proc/stat. */
static bool is_there(const struct cpus *all, const char *present, int cpu)
{
	return present ? field_list_has(present, cpu) : all->times[cpu].online;
}

/* Return: 0, or -EINVAL with @why. */
static int choose_cpus(struct cpus *all, const char *present, const char **why)
{
	const char *const list = all->settings->cpus, *at = list;
	int64_t first, last;

	*why = "--cpus wants a list such as 0-3,7";
	while (list && field_range(&at, &first, &last))
		if (last >= CPU_LIMIT)
			return -EINVAL;
	if (list && (*at || at == list))
		return -EINVAL;
	*why = "--cpus names a CPU that is not there";
	for (int i = 0; i < CPU_LIMIT; i++) {
		if (list && !field_list_has(list, i))
			continue;
		if (is_there(all, present, i))
			all->cpu[all->n++].number = i;
		else if (list)
			return -EINVAL;
	}
	return 0;
}

int cpus_open(struct cpus **opened, const struct settings *settings,
	      const struct cpu_model *model, const char **why)
{
	struct cpus *all = text_alloc(1, sizeof(*all));
	char *present = sysfile_first("/sys/devices/system/cpu/present");
	struct stamp at;
	int err;

	all->settings = settings;
	all->model = model;
	all->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	*why = "/proc/stat cannot be read";
	err = read_stat(all, &at);
	if (!err)
		err = choose_cpus(all, present, why);
	free(present);
	if (err)
		cpus_close(all);
	*opened = err ? NULL : all;
	return err;
}
