/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* The name of @kind-@id in names.tsv, or "@word @id": a new string. */
static char *name_of(const char *kind, const char *id, const char *word)
{
	char *key = text_format("%s-%s", kind, id);
	char *name = machine_field(machine_names, key);

	free(key);
	return name ? name : text_format("%s%s", word, id);
}

/* Several kinds of core in one machine: all their names, the first CPU's
 * first. */
static char *arm_names(const char *text, const char *kind)
{
	char all[256] = ", ", *part;

	for (; (part = machine_field(text, "CPU part")); free(part)) {
		char *name = name_of(kind, part, "part ");
		char *item = text_format(", %s, ", name);
		const size_t len = strlen(all);

		text = strstr(text, "CPU part") + 1;
		if (!strstr(all, item) && len + strlen(item) < sizeof(all))
			snprintf(all + len, sizeof(all) - len, "%s", item + 2);
		free(item);
		free(name);
	}
	all[strlen(all) - 2] = '\0';
	return text_copy(all[0] ? all + 2 : "");
}

static void arm_cpu(json_t *cpu, const char *text)
{
	char *maker = machine_field(text, "CPU implementer");
	char *variant = machine_field(text, "CPU variant");
	char *revision = machine_field(text, "CPU revision");
	char *kind = text_format("arm-%s", maker ? maker : "");

	if (maker && variant && revision) {
		machine_set(cpu, "vendor",
			    machine_text(
				    name_of("arm", maker, "implementer ")));
		machine_set(cpu, "model", machine_text(arm_names(text, kind)));
		machine_set(cpu, "stepping",
			    machine_text(text_format("r%lup%s",
						     strtoul(variant, NULL, 0),
						     revision)));
	}
	free(kind);
	free(revision);
	free(variant);
	free(maker);
}

static void riscv_cpu(json_t *cpu, const char *text)
{
	char *maker = machine_field(text, "mvendorid");
	char *part = machine_field(text, "marchid");

	if (maker && strcmp(maker, "0x0") != 0)
		machine_set(cpu, "vendor",
			    machine_text(name_of("riscv", maker, "vendor ")));
	if (part)
		machine_set(cpu, "model",
			    machine_text(text_format("architecture %s", part)));
	free(part);
	free(maker);
}

#define CPUINFO "/proc/cpuinfo"

static const struct machine_fact facts[] = {
	{ "model", FACT_TEXT, CPUINFO, "model name" },
	{ "vendor", FACT_TEXT, CPUINFO, "vendor_id" },
	{ "family", FACT_NUMBER, CPUINFO, "cpu family" },
	{ "model_number", FACT_NUMBER, CPUINFO, "model" },
	{ "stepping", FACT_NUMBER, CPUINFO, "stepping" },
	{ "microcode", FACT_TEXT, CPUINFO, "microcode" },
	{ "flags", FACT_TEXT, CPUINFO, "flags" },
	{ "flags", FACT_TEXT, CPUINFO, "Features" }, /* of ARM */
	{ "model_number", FACT_NUMBER, CPUINFO, "CPU part" },
	{ "model", FACT_TEXT, CPUINFO, "uarch" }, /* of RISC-V */
	{ "model_number", FACT_NUMBER, CPUINFO, "marchid" },
	{ "stepping", FACT_TEXT, CPUINFO, "mimpid" },
	{ "flags", FACT_TEXT, CPUINFO, "isa" },
	{ "smt", FACT_IS_1, "/sys/devices/system/cpu/smt/active", NULL },
	{ 0 },
};

void identity_cpu(json_t *cpu, const char *root)
{
	char *text = sysfile_text("%s" CPUINFO, root);

	machine_fill(cpu, root, facts);
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
	return machine_text(name_of("cpuid", signature, ""));
}
