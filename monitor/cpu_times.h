/* SPDX-License-Identifier: MIT */
#ifndef CPU_TIMES_H
#define CPU_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The lines "cpuN" of /proc/stat: where each CPU spent its time, in steps of
 * 1/USER_HZ s (10 ms).  A CPU that is offline has no line.
 */
struct cpu_times {
	bool online;
	/* In USER_HZ steps since the machine started, each cut off, not
	 * rounded.  guest and guest_nice are part of user and nice. */
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

/**
 * cpu_times_parse() - read the text of /proc/stat.
 * @text: NUL-terminated.
 * @cpus: @max entries, all overwritten, indexed by the kernel's number.
 *
 * Fields that an old kernel does not have are 0.
 *
 * Return: 1 + the highest number that was found (at most @max: more CPUs are
 * left out), or -EINVAL if no line of a CPU could be read.
 */
int cpu_times_parse(const char *text, struct cpu_times *cpus, size_t max);

/**
 * cpu_list_parse() - read a list of CPUs such as "0-3,7".
 * @set: @max entries; those in the list become true, the others false.
 *
 * Return: how many are in it, or -EINVAL (no list, a range backwards, or a
 * number of @max or more).
 */
int cpu_list_parse(const char *text, bool *set, size_t max);

#endif
