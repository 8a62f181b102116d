/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_H
#define MACHINE_H

#include <jansson.h>

struct machine_options {
	int cpu;	   /* to calibrate on and to describe; -1 for any */
	const char *timer; /* method, or NULL to choose */
	const char *compiler, *flags;
};

/**
 * machine_describe() - this machine, as machine.json of format 1.
 * @why: on failure, one line for the user.
 *
 * Pins the calling thread.  What cannot be read is null.
 *
 * Return: a new object, or NULL.
 */
json_t *machine_describe(const struct machine_options *o, const char **why);

/* Parts of it, in files of their own. */
json_t *machine_cpu(int cpu);		       /* cpuinfo and hwloc */
json_t *machine_caches(int cpu);	       /* hwloc */
void machine_system(json_t *machine, int cpu); /* /proc and /sys */

/* machine_cpuinfo() - a field of the first processor in @text of /proc/cpuinfo
 * ("model name"): a new string, or NULL.  @text: may be NULL. */
char *machine_cpuinfo(const char *text, const char *key);

/* machine_string() - a JSON string, null for NULL and for what is not UTF-8;
 * machine_read() - the first line of a file as such; machine_cpu_file() - of
 * /sys/devices/system/cpu/cpuN/@name. */
json_t *machine_string(const char *text);
json_t *machine_read(const char *path);
json_t *machine_cpu_file(int cpu, const char *name);

#endif
