/* SPDX-License-Identifier: MIT */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <jansson.h>

/* Who made this machine, where no CPUID says so.  @root: "" for this machine; a
 * directory with proc/ and sys/ in tests. */

/* names.tsv, without its comments. */
extern const char machine_names[];

/* identity_cpu() - fill what is null in @cpu (machine.json's `cpu`) from the
 * numbers in /proc/cpuinfo: aarch64's MIDR and riscv64's mvendorid, marchid
 * and uarch. */
void identity_cpu(json_t *cpu, const char *root);

/* identity_hypervisor() - by the kernel, the device tree or DMI; null if none
 * of them names one, which does not prove that there is none. */
json_t *identity_hypervisor(const char *root);

/* identity_signature() - of the hypervisor that signs so in CPUID. */
json_t *identity_signature(const char *signature);

#endif
