/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_H
#define MACHINE_H

#include <jansson.h>
#include <stdio.h>

#include "alloc.h"
#include "sysfile.h"

struct machine_options {
	int cpu;	   /* to calibrate on and to describe; -1 for any */
	const char *timer; /* method, or NULL to choose */
	const char *compiler, *flags;
};

/**
 * machine_describe() - this machine, as machine.json of format 1, but for what
 * scripts/lib/describe.awk adds to it.
 * @why: on failure, one line for the user.
 *
 * Pins the calling thread.  What cannot be read is null.
 *
 * Return: a new object, or NULL.
 */
json_t *machine_describe(const struct machine_options *o, const char **why);

/* machine_cpuinfo() - a field of the first processor in @text of /proc/cpuinfo
 * ("model name"): a new string, or NULL.  @text: may be NULL. */
char *machine_cpuinfo(const char *text, const char *key);

/* machine_string() - a JSON string, null for NULL, "" and for what is not
 * UTF-8; machine_text() - the same of a string that it frees. */
json_t *machine_string(const char *text);
json_t *machine_text(char *text);

#endif
