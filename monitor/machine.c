// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "replay.h"
#include "switches.h"
#include "sysfile.h"
#include "target.h"

/* More than any kernel is built for. */
#define CPU_LIMIT  8192
#define STAT_TRIES 5

struct cpu {
	int number;
	struct os_track os;
	struct counters *counters;
	struct counters_reading last;
	bool primed; /* last is of these counters */
	struct switches *switches;
	/* Of the CPU's directory in sysfs, which a CPU that goes takes along:
	 * it gets another when it comes back.  0: none. */
	uint64_t inode;
	double width[COUNTERS_PMUS];
};

struct machine {
	struct target target;
	struct target_settings settings;
	struct replay *replay; /* NULL: live */
	struct cpu_times *times;
	size_t n_times;
	struct cpu *cpu;
	uint64_t tick_ns;
	uint64_t last_ns; /* of the last reading, 0: none */
	unsigned int steps;
};

static void open_counters(struct machine *m, struct cpu *cpu)
{
	const struct counters_target target = {
		.kind = COUNTERS_CPU,
		.cpu = cpu->number,
	};

	if (counters_open(&cpu->counters, &target,
			  m->settings.msr ? COUNTERS_MSR : 0))
		cpu->counters = NULL;
	cpu->primed = false;
	cpu_model_widths(m->settings.model, cpu->counters, cpu->width);
}

static void close_counters(struct machine *m, struct cpu *cpu)
{
	if (m->target.asked == cpu->counters)
		m->target.asked = NULL;
	counters_close(cpu->counters);
	cpu->counters = NULL;
	cpu->primed = false;
}

static uint64_t inode_of(int cpu)
{
	char path[80];
	struct stat st;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	return stat(path, &st) ? 0 : st.st_ino;
}

/* Whether the CPU was taken away and came back, which /proc/stat does not
 * tell: that time would count as load. */
static bool was_away(struct cpu *cpu)
{
	const uint64_t before = cpu->inode;

	cpu->inode = inode_of(cpu->number);
	return before && cpu->inode != before;
}

/* The same by what the kernel counts itself, where sysfs is not to be seen. */
static bool missed_time(const struct cpu *cpu, const struct row *row)
{
	const enum counters_event event = COUNTERS_CONTEXT_SWITCHES;

	return cpu->primed && !counters_why(cpu->counters, event) &&
	       !row->counts.count[event].known;
}

/* What watched the CPU is dead when it comes back. */
static void forget(struct machine *m, struct cpu *cpu)
{
	close_counters(m, cpu);
	switches_close(cpu->switches);
	cpu->switches = NULL;
}

static void count_live(struct machine *m, struct cpu *cpu, struct row *row)
{
	struct counters_reading now;

	if (!cpu->counters)
		open_counters(m, cpu);
	if (!cpu->counters || counters_read(cpu->counters, &now))
		return;
	if (cpu->primed)
		counters_delta(cpu->counters, &cpu->last, &now, &row->counts);
	if (missed_time(cpu, row)) {
		row->os = os_load_unknown(OS_LOST);
		forget(m, cpu);
		return;
	}
	cpu->last = now;
	cpu->primed = true;
	if (!m->target.asked)
		m->target.asked = cpu->counters;
}

/* The exact load instead of that in steps. */
static void use_switches(struct cpu *cpu, struct row *row)
{
	uint64_t busy_ns;

	if (!cpu->switches) {
		if (row->os.state == OS_OK)
			row->os = os_load_unknown(OS_LOST);
		return;
	}
	switches_drain(cpu->switches, row->at.mono_ns);
	if (!busy_track_end(switches_track(cpu->switches), row->at.mono_ns,
			    &busy_ns)) {
		if (row->os.state == OS_OK)
			row->os = os_load_unknown(OS_LOST);
	} else if (row->os.state == OS_OK) {
		row->os.load_pct =
			100 * (double)busy_ns / (double)row->interval_ns;
		row->os.resolution_pct = 100 / (double)row->interval_ns;
	}
}

static void fill_row(struct machine *m, struct cpu *cpu, struct row *row,
		     const struct stamp *at)
{
	static const struct cpu_times none;
	const struct cpu_times *times = (size_t)cpu->number < m->n_times
						? &m->times[cpu->number]
						: &none;

	memset(row, 0, sizeof(*row));
	row->at = *at;
	row->cpu = cpu->number;
	row->interval_ns = m->last_ns ? at->mono_ns - m->last_ns : 0;
	memcpy(row->width, cpu->width, sizeof(row->width));
	row->os = os_track_update(&cpu->os, times, at->mono_ns, m->tick_ns);
	if (m->replay) {
		replay_count(m->replay, cpu->number, &row->counts);
		return;
	}
	if (was_away(cpu) && times->online && row->os.state == OS_OK)
		row->os = os_load_unknown(OS_LOST);
	if (row->os.state == OS_OFFLINE || row->os.state == OS_LOST)
		forget(m, cpu);
	if (times->online)
		count_live(m, cpu, row);
	if (m->settings.switches)
		use_switches(cpu, row);
}

/* Goes to a CPU and sleeps there, so that it switches and its state is known;
 * being there already is no switch. */
static void visit_cpu(int cpu)
{
	const size_t size = CPU_ALLOC_SIZE(CPU_LIMIT);
	cpu_set_t *const mine = CPU_ALLOC(CPU_LIMIT);
	cpu_set_t *const one = CPU_ALLOC(CPU_LIMIT);
	const struct timespec moment = { .tv_nsec = 1 };

	if (mine && one && !sched_getaffinity(0, size, mine)) {
		CPU_ZERO_S(size, one);
		CPU_SET_S((size_t)cpu, size, one);
		/* One that we may not use tells with its next switch. */
		if (!sched_setaffinity(0, size, one)) {
			nanosleep(&moment, NULL);
			sched_setaffinity(0, size, mine);
		}
	}
	CPU_FREE(mine);
	CPU_FREE(one);
}

static int open_switches(struct machine *m, const char **why)
{
	for (size_t i = 0; i < m->target.rows; i++) {
		struct cpu *cpu = &m->cpu[i];
		const int err = switches_open(&cpu->switches, cpu->number, why);

		/* One that is offline has none. */
		if (err && err != -ENODEV)
			return err;
		if (!err)
			visit_cpu(cpu->number);
	}
	return 0;
}

/* Of CPUs that have come back: before the reading that they are new in, so
 * that all of the next interval is known. */
static void reopen_switches(struct machine *m)
{
	const char *why;

	for (size_t i = 0; i < m->target.rows; i++) {
		struct cpu *cpu = &m->cpu[i];

		if (!cpu->switches &&
		    !switches_open(&cpu->switches, cpu->number, &why))
			visit_cpu(cpu->number);
	}
}

/* Whoever is kept from running between the clock and the file gives the idle
 * time of a longer interval than he says: then once more. */
static char *read_live(const struct machine *m, struct stamp *at)
{
	char *text = NULL;
	int tries = 0;

	do {
		free(text);
		*at = stamp_now();
		text = sysfile_text("/proc/stat");
	} while (text && ++tries < STAT_TRIES &&
		 stamp_now().mono_ns - at->mono_ns > m->tick_ns);
	return text;
}

static int read_stat(struct machine *m, struct stamp *at)
{
	char *text;
	int n;

	if (m->replay) {
		const int err = replay_next(m->replay, at);

		if (err)
			return err;
		text = sysfile_text("%s", replay_stat(m->replay));
	} else {
		text = read_live(m, at);
	}
	if (!text)
		return -errno;
	n = cpu_times_parse(text, m->times, CPU_LIMIT);
	free(text);
	if (n < 0)
		return n;
	m->n_times = (size_t)n;
	return 0;
}

static int sample(struct target *target, struct row *rows)
{
	struct machine *m = (struct machine *)target;
	const bool first = !m->last_ns;
	struct stamp at;
	int err;

	if (m->settings.switches)
		reopen_switches(m);
	err = read_stat(m, &at);
	if (err)
		return err;
	for (size_t i = 0; i < target->rows; i++)
		fill_row(m, &m->cpu[i], &rows[i], &at);
	m->last_ns = at.mono_ns;
	return first ? 0 : (int)target->rows;
}

static void tend(struct target *target)
{
	struct machine *m = (struct machine *)target;
	const uint64_t now_ns = stamp_now().mono_ns;

	for (size_t i = 0; i < target->rows; i++)
		if (m->cpu[i].switches)
			switches_drain(m->cpu[i].switches, now_ns);
}

static void close_machine(struct target *target)
{
	struct machine *m = (struct machine *)target;

	for (size_t i = 0; m->cpu && i < target->rows; i++) {
		counters_close(m->cpu[i].counters);
		switches_close(m->cpu[i].switches);
	}
	replay_close(m->replay);
	free(m->times);
	free(m->cpu);
	free(m);
}

/* Which CPUs there are: the kernel's list of those that are plugged in, or, in
 * a recording, those that its first reading shows. */
static int find_cpus(struct machine *m, bool *set, const char **why)
{
	struct stamp at;
	int err, n;

	if (!m->replay) {
		char *list = sysfile_first("/sys/devices/system/cpu/present");

		n = list ? cpu_list_parse(list, set, CPU_LIMIT) : 0;
		free(list);
		if (n > 0)
			return n;
	}
	err = read_stat(m, &at);
	if (err) {
		*why = m->replay ? "the recording has no reading 0"
				 : "/proc/stat cannot be read";
		return err;
	}
	if (m->replay)
		replay_rewind(m->replay);
	for (size_t i = n = 0; i < m->n_times; i++)
		n += set[i] = m->times[i].online;
	return n;
}

static int choose_cpus(struct machine *m, const bool *there, const char **why)
{
	bool *wanted = calloc(CPU_LIMIT, sizeof(*wanted));
	int err = 0;
	size_t n = 0;

	*why = "out of memory";
	m->cpu = calloc(CPU_LIMIT, sizeof(*m->cpu));
	if (!wanted || !m->cpu) {
		free(wanted);
		return -ENOMEM;
	}
	if (m->settings.cpus &&
	    cpu_list_parse(m->settings.cpus, wanted, CPU_LIMIT) < 0) {
		*why = "--cpus wants a list such as 0-3,7";
		err = -EINVAL;
	}
	for (int i = 0; i < CPU_LIMIT && !err; i++) {
		if (m->settings.cpus && wanted[i] && !there[i]) {
			*why = "--cpus names a CPU that is not there";
			err = -EINVAL;
		}
		if (there[i] && (!m->settings.cpus || wanted[i]))
			m->cpu[n++].number = i;
	}
	free(wanted);
	m->target.rows = n;
	return err;
}

static int open_parts(struct machine *m, const char **why)
{
	bool *there = calloc(CPU_LIMIT, sizeof(*there));
	int err = there && m->times ? 0 : -ENOMEM;

	if (!err && m->settings.replay)
		err = replay_open(&m->replay, m->settings.replay);
	if (!err) {
		const int n = find_cpus(m, there, why);

		err = n < 0 ? n : choose_cpus(m, there, why);
	}
	free(there);
	for (size_t i = 0; !err && i < m->target.rows; i++)
		cpu_model_widths(m->settings.model, NULL, m->cpu[i].width);
	if (!err && m->settings.switches)
		err = open_switches(m, why);
	return err;
}

int machine_open(struct target **target, const struct target_settings *settings,
		 const char **why)
{
	struct machine *m = calloc(1, sizeof(*m));
	const long hz = sysconf(_SC_CLK_TCK);
	int err;

	*why = "out of memory";
	if (!m)
		return -ENOMEM;
	m->target = (struct target) {
		.ended_fd = -1,
		.sample = sample,
		.tend = settings->switches ? tend : NULL,
		.close = close_machine,
	};
	m->settings = *settings;
	m->tick_ns = 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
	m->times = calloc(CPU_LIMIT, sizeof(*m->times));
	err = open_parts(m, why);
	if (err) {
		close_machine(&m->target);
		return err;
	}
	*target = &m->target;
	return 0;
}
