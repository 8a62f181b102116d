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
 * machine_describe() - this machine, as machine.json of format 1.
 * @why: on failure, one line for the user.
 *
 * Pins the calling thread.  What cannot be read is null.
 *
 * Return: a new object, or NULL.
 */
json_t *machine_describe(const struct machine_options *o, const char **why);

/* machine_nominal() - the sizes and speeds that the machine says it has, as a
 * comment and the section [machine] of predictions.ini; measures nothing. */
void machine_nominal(FILE *f);

json_t *machine_cpu(void);	 /* cpuinfo and hwloc */
json_t *machine_caches(int cpu); /* hwloc: between @cpu and memory */

/* Devices by what they say of themselves; what they do not is null.  @root: ""
 * for this machine; a directory with sys/ in tests.  bus: "virtio", or with
 * the link's speed "pci, 8.0 GT/s PCIe x4".
 * machine_links() - [{name, bus, mbit_s}] of network cards.
 * machine_disks() - [{name, model, bus, size_bytes, rotates}].
 * machine_modules() - [{name, size_bytes, type, mt_s, width_bits}] of memory
 * modules (DIMMs), where the firmware's table can be read: by root, seldom in a
 * virtual machine. */
json_t *machine_links(const char *root);
json_t *machine_disks(const char *root);
json_t *machine_modules(const char *root);

/**
 * machine_checks() - how the machine is set for measuring.
 * @root: "" for this machine; a directory with sys/ and proc/ in tests.
 * @cpu: the one that measures.
 *
 * Each check has the answer ok, bad or unknown, which says that nothing could
 * be read (in a virtual machine there is often no governor), or that what was
 * read is the guest's own and says nothing of the host (SMT).  What only
 * another vendor's processors have is not asked.
 *
 * Return: an array of {name, answer, value, file, mend}; mend is null where
 * nothing needs it.
 */
json_t *machine_checks(const char *root, int cpu);

/* machine_steal_ns() - what the hypervisor gave to others of @cpu's time since
 * the start, in the steps of the kernel's clock (10 ms); NAN if unknown. */
double machine_steal_ns(const char *root, int cpu);

/* machine_cpuinfo() - a field of the first processor in @text of /proc/cpuinfo
 * ("model name"): a new string, or NULL.  @text: may be NULL. */
char *machine_cpuinfo(const char *text, const char *key);

/* machine_string() - a JSON string, null for NULL, "" and for what is not
 * UTF-8; machine_text() - the same of a string that it frees. */
json_t *machine_string(const char *text);
json_t *machine_text(char *text);

#endif
