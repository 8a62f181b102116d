/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_H
#define MACHINE_H

#include <jansson.h>
#include <stdio.h>

#include "alloc.h"
#include "sysfile.h"

/**
 * machine_describe() - this machine, as machine.json of format 1, but for what
 * scripts/lib/describe.pl adds to it.
 * @cpu: to calibrate on and to describe; -1 for any.  @timer: its method, or
 * NULL to choose.  @why: on failure, one line for the user.
 *
 * Pins the calling thread.  Values that cannot be read are null.
 *
 * Return: a new object, or NULL.
 */
json_t *machine_describe(int cpu, const char *timer, const char **why);

/* A fact that a file of the system states. */
struct machine_fact {
	const char *key;
	enum { FACT_TEXT, FACT_NUMBER, FACT_CHOSEN, FACT_IS_0, FACT_IS_1 } kind;
	const char *file, *field; /* NULL: its first line */
};

/* machine_fill() - the facts (an empty one ends them) into @o, where it knows
 * nothing yet; null if there is no such file or field.  FACT_CHOSEN: "word" of
 * "always [word] never".  @root: before the files' names, in tests. */
void machine_fill(json_t *o, const char *root,
		  const struct machine_fact *facts);

/* machine_field() - what follows @key and a tab, colon or "=" at the begin of
 * a line, without quotes around it: a new string, or NULL.  @text: may be
 * NULL. */
char *machine_field(const char *text, const char *key);

/* machine_string() - a JSON string, null for NULL, "" and for what is not
 * UTF-8; machine_text() - the same of a string that it frees; machine_set() -
 * @value becomes @key of @o, where that knows nothing yet; else it is freed. */
json_t *machine_string(const char *text);
json_t *machine_text(char *text);
void machine_set(json_t *o, const char *key, json_t *value);

/* The machine's maker, where no CPUID names it.  @root: "", or for tests. */

/* names.tsv, without its comments. */
extern const char machine_names[];

/* identity_cpu() - fill what is not known in @cpu (machine.json's `cpu`) from
 * /proc/cpuinfo, and names that it does not have from what @lscpu has printed
 * (NULL: ask it), else by the numbers of aarch64's MIDR and riscv64's mvendorid
 * and marchid. */
void identity_cpu(json_t *cpu, const char *root, const char *lscpu);

/* identity_hypervisor() - by the kernel, the device tree or DMI; null if none
 * of them names one, which does not prove that there is none. */
json_t *identity_hypervisor(const char *root);

/* identity_signature() - of the hypervisor that signs so in CPUID. */
json_t *identity_signature(const char *signature);

#endif
