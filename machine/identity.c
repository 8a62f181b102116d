/* SPDX-License-Identifier: MIT */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* The names of processors that have only numbers in /proc/cpuinfo: a new
 * string, or NULL. */
static char *ask_lscpu(void)
{
	FILE *f = popen("LC_ALL=C lscpu 2>/dev/null | sed 's/^ *//'", "r");
	char text[16384] = "";

	if (f)
		(void)!fread(text, 1, sizeof(text) - 1, f);
	return f && !pclose(f) ? text_copy(text) : NULL;
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

/* Where lscpu is not there, or does not know it either. */
static const struct machine_fact numbers[] = {
	{ "vendor", FACT_TEXT, CPUINFO, "CPU implementer" },
	{ "model", FACT_TEXT, CPUINFO, "CPU part" },
	{ "stepping", FACT_TEXT, CPUINFO, "CPU revision" },
	{ "vendor", FACT_TEXT, CPUINFO, "mvendorid" },
	{ "model", FACT_TEXT, CPUINFO, "marchid" },
	{ 0 },
};

void identity_cpu(json_t *cpu, const char *root, const char *lscpu)
{
	char *asked = NULL;

	machine_fill(cpu, root, facts);
	if (!lscpu && json_is_null(json_object_get(cpu, "model")))
		lscpu = asked = ask_lscpu();
	machine_set(cpu, "vendor",
		    machine_text(machine_field(lscpu, "Vendor ID")));
	machine_set(cpu, "model",
		    machine_text(machine_field(lscpu, "Model name")));
	machine_set(cpu, "stepping",
		    machine_text(machine_field(lscpu, "Stepping")));
	free(asked);
	machine_fill(cpu, root, numbers);
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
	char *key = text_format("cpuid-%s", signature);
	char *name = machine_field(machine_names, key);

	free(key);
	return machine_text(name ? name : text_copy(signature));
}
