/* SPDX-License-Identifier: MIT */
#include <cpuid.h>
#include <dirent.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "machine.h"
#include "text.h"

/* "word" of "always [word] never". */
static json_t *chosen(const char *path)
{
	char *line = text_line(path);
	char *begin = line ? strchr(line, '[') : NULL;
	char *end = begin ? strchr(begin, ']') : NULL;
	json_t *s;

	if (end)
		*end = '\0';
	s = machine_string(end ? begin + 1 : NULL);
	free(line);
	return s;
}

static json_t *memory_bytes(void)
{
	char *text = text_file("/proc/meminfo", 1 << 20);
	unsigned long long kib = 0;
	char *at = text ? strstr(text, "MemTotal:") : NULL;

	if (at)
		kib = strtoull(at + strlen("MemTotal:"), NULL, 10);
	free(text);
	return kib ? json_integer((json_int_t)kib * 1024) : json_null();
}

static json_t *kernel(void)
{
	struct utsname u;

	if (uname(&u))
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "release",
			 machine_string(u.release), "version",
			 machine_string(u.version), "command_line",
			 machine_read("/proc/cmdline"));
}

/* PRETTY_NAME of os-release, without its quotes. */
static json_t *os_name(void)
{
	char *text = text_file("/etc/os-release", 1 << 16);
	char *at = text ? strstr(text, "PRETTY_NAME=") : NULL;
	json_t *s = NULL;

	if (at) {
		at += strlen("PRETTY_NAME=");
		at += strspn(at, "\"'");
		at[strcspn(at, "\"'\n")] = '\0';
		s = machine_string(at);
	}
	free(text);
	return s ? s : json_null();
}

/* CPUID leaf 40000000H holds the hypervisor's signature, if there is one. */
static json_t *hypervisor(void)
{
	static const struct {
		const char *signature, *name;
	} known[] = {
		{ "KVMKVMKVM", "KVM" },	       { "TCGTCGTCGTCG", "QEMU TCG" },
		{ "Microsoft Hv", "Hyper-V" }, { "VMwareVMware", "VMware" },
		{ "XenVMMXenVMM", "Xen" },     { "bhyve bhyve ", "bhyve" },
		{ "ACRNACRNACRN", "ACRN" },    { "VBoxVBoxVBox", "VirtualBox" },
	};
	unsigned int a, b, c, d;
	char signature[13] = "";

	if (!__get_cpuid(1, &a, &b, &c, &d))
		return json_null();
	if (!(c & 1u << 31))
		return json_string("none");
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].signature, signature))
			return json_string(known[i].name);
	return machine_string(signature);
}

/* Whether the processor may run faster than its nominal frequency. */
static json_t *turbo(void)
{
	char *no = text_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
	char *boost = text_line("/sys/devices/system/cpu/cpufreq/boost");
	json_t *v = no	    ? json_boolean(*no == '0')
		    : boost ? json_boolean(*boost == '1')
			    : json_null();

	free(no);
	free(boost);
	return v;
}

static json_t *mitigations(void)
{
	static const char dir[] = "/sys/devices/system/cpu/vulnerabilities";
	json_t *o = json_object();
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);

	if (n < 0) {
		json_decref(o);
		return json_null();
	}
	for (int i = 0; i < n; i++) {
		char *path = text_format("%s/%s", dir, names[i]->d_name);

		if (names[i]->d_name[0] != '.')
			json_object_set_new(o, names[i]->d_name,
					    machine_read(path));
		free(path);
		free(names[i]);
	}
	free(names);
	return o;
}

static json_t *aslr(void)
{
	char *line = text_line("/proc/sys/kernel/randomize_va_space");
	json_t *v = line ? json_integer(strtol(line, NULL, 10)) : json_null();

	free(line);
	return v;
}

void machine_system(json_t *m, int cpu)
{
	static const char thp[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	static const char clock[] = "/sys/devices/system/clocksource/"
				    "clocksource0/current_clocksource";
	char *libc = text_format("glibc %s", gnu_get_libc_version());

	json_object_set_new(m, "memory_bytes", memory_bytes());
	json_object_set_new(m, "kernel", kernel());
	json_object_set_new(m, "os", os_name());
	json_object_set_new(m, "hypervisor", hypervisor());
	json_object_set_new(m, "governor",
			    machine_cpu_file(cpu, "cpufreq/scaling_governor"));
	json_object_set_new(m, "turbo", turbo());
	json_object_set_new(m, "thp", chosen(thp));
	json_object_set_new(m, "aslr", aslr());
	json_object_set_new(m, "clocksource", machine_read(clock));
	json_object_set_new(m, "mitigations", mitigations());
	json_object_set_new(m, "libc", machine_string(libc));
	free(libc);
}
