/* SPDX-License-Identifier: MIT */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cpu_model.h"
#include "row.h"

/*
 * Whose load is taken: all CPUs of the machine, a process, a cgroup.  Each
 * remembers its last reading and makes rows of the difference.
 */
struct target {
	size_t rows; /* of one sample, always */
	/* A set of counters to ask for names and reasons; NULL: none. */
	const struct counters *asked;
	const char *why; /* there is none; NULL: not known */
	int ended_fd;	 /* readable when the process is gone; -1 */

	/* Read, and fill @rows with what happened since the last call; the
	 * first only reads.  Return: rows, or -errno. */
	int (*sample)(struct target *target, struct row *rows);
	/* What must be done more often than sampling; NULL: nothing. */
	void (*tend)(struct target *target);
	void (*close)(struct target *target);
};

struct target_settings {
	const struct cpu_model *model;
	const char *cpus; /* list, or NULL */
	const char *replay;
	bool switches, msr;
};

/* stamp_now() - both clocks. */
struct stamp stamp_now(void);

/**
 * machine_open() - all CPUs, or those in settings->cpus.
 *
 * A recording (settings->replay) is a directory with one for each reading, 0,
 * 1, 2 ...: "time" (CLOCK_MONOTONIC and CLOCK_REALTIME in ns), proc/stat, and
 * "counters", lines "CPU event sum".  machine_open() of one reads no clock.
 *
 * @why: on failure, one sentence.  Return: 0 or -errno.
 */
int machine_open(struct target **target, const struct target_settings *settings,
		 const char **why);

/* process_open() - one process with all of its threads.  As above. */
int process_open(struct target **target, const struct target_settings *settings,
		 pid_t pid, const char **why);

/* cgroup_open() - @name: a directory, or a path below where cgroups are
 * mounted (version 2 or version 1's cpuacct).  As above. */
int cgroup_open(struct target **target, const struct target_settings *settings,
		const char *name, const char **why);

#endif
