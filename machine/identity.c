/* SPDX-License-Identifier: MIT */
#include "identity.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* What @key is called in names.tsv, a new string or NULL; @key is freed. */
static char *name_of(char *key)
{
	char *name = machine_cpuinfo(machine_names, key);

	free(key);
	return name;
}

/* @value, which is taken over, where @o knows nothing yet. */
static void fill(json_t *o, const char *name, json_t *value)
{
	const json_t *old = json_object_get(o, name);

	if (!old || json_is_null(old))
		json_object_set_new(o, name, value);
	else
		json_decref(value);
}

/* A number of /proc/cpuinfo.  Return: false if it is not there. */
static bool number(const char *text, const char *key, unsigned long *n)
{
	char *v = machine_cpuinfo(text, key);
	const bool there = v;

	if (there)
		*n = strtoul(v, NULL, 0);
	free(v);
	return there;
}

/* Several kinds of core in one machine: all their names, the first CPU's
 * first. */
static char *arm_names(const char *text, unsigned long vendor)
{
	char *all = NULL;

	for (const char *at = text; at && (at = strstr(at, "CPU part"));
	     at += strlen("CPU part")) {
		unsigned long part = 0;
		char *name, *longer;

		number(at, "CPU part", &part);
		name = name_of(text_format("arm-%lx-%lx", vendor, part));
		if (!name)
			name = text_format("part 0x%03lx", part);
		if (all && strstr(all, name)) {
			free(name);
			continue;
		}
		longer = text_format("%s%s%s", all ? all : "", all ? ", " : "",
				     name);
		free(all);
		free(name);
		all = longer;
	}
	return all;
}

static void arm_cpu(json_t *cpu, const char *text)
{
	unsigned long vendor = 0, part, variant, revision;
	char *name;

	if (!number(text, "CPU implementer", &vendor))
		return;
	name = name_of(text_format("arm-%lx", vendor));
	fill(cpu, "vendor",
	     machine_text(name ? name
			       : text_format("implementer 0x%02lx", vendor)));
	fill(cpu, "model", machine_text(arm_names(text, vendor)));
	if (number(text, "CPU part", &part))
		fill(cpu, "model_number", json_integer((json_int_t)part));
	if (number(text, "CPU variant", &variant) &&
	    number(text, "CPU revision", &revision))
		fill(cpu, "stepping",
		     machine_text(text_format("r%lup%lu", variant, revision)));
	fill(cpu, "flags", machine_text(machine_cpuinfo(text, "Features")));
}

static void riscv_cpu(json_t *cpu, const char *text)
{
	unsigned long vendor, part = 0;
	char *name;

	if (!number(text, "mvendorid", &vendor))
		return;
	name = name_of(text_format("riscv-%lx", vendor));
	if (!name && vendor)
		name = text_format("vendor 0x%lx", vendor);
	fill(cpu, "vendor", machine_text(name));
	fill(cpu, "model", machine_text(machine_cpuinfo(text, "uarch")));
	if (number(text, "marchid", &part)) {
		fill(cpu, "model",
		     machine_text(text_format("architecture 0x%lx", part)));
		fill(cpu, "model_number", json_integer((json_int_t)part));
	}
	fill(cpu, "stepping", machine_text(machine_cpuinfo(text, "mimpid")));
	fill(cpu, "flags", machine_text(machine_cpuinfo(text, "isa")));
}

void identity_cpu(json_t *cpu, const char *root)
{
	char *text = sysfile_text("%s/proc/cpuinfo", root);

	arm_cpu(cpu, text);
	riscv_cpu(cpu, text);
	free(text);
}

json_t *identity_hypervisor(const char *root)
{
	const char *at = machine_names;
	char file[64], begins[64], name[64];

	while ((at = strstr(at, "\nsign\t"))) {
		char *text;
		bool found;

		at += strlen("\nsign\t");
		if (sscanf(at, "%63[^\t]\t%63[^\t]\t%63[^\n]", file, begins,
			   name) != 3)
			continue;
		text = sysfile_first("%s%s", root, file);
		found = text && !strncmp(text, begins, strlen(begins));
		free(text);
		if (found)
			return json_string(name);
	}
	return json_null();
}

json_t *identity_signature(const char *signature)
{
	char *name = name_of(text_format("cpuid-%s", signature));

	return name ? machine_text(name) : machine_string(signature);
}
