/* SPDX-License-Identifier: MIT */
/* Texts of /proc and /sys, as machine/, monitor/ and harness/ read them. */
#include "fuzz.h"

#include <jansson.h>

#include "groups.h"
#include "machine.h"
#include "noise.h"
#include "noise_look.h"
#include "os_load.h"

#define CPUS 64

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_begin();
	return 0;
}

static void read_text(char *text)
{
	struct cpu_times times[CPUS];
	struct mount mount;

	cpu_times_parse(text, times, CPUS);
	free(machine_field(text, "flags"));
	field_number(field_nth(field_behind(text, "MemAvailable"), 1), 0);
	field_number(field_of_stat(text, 39), 0);
	while (mount_next(&text, &mount))
		;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"proc/stat",
		"proc/cpuinfo",
		"proc/interrupts",
		"proc/self/cgroup",
		"proc/self/mountinfo",
		"sys/fs/cgroup/cpu.stat",
		"sys/fs/cgroup/a/cpu.stat",
		NULL,
	};
	struct noise_throttle throttle;
	char line[32];
	char *text = strndup((const char *)data, size);
	json_t *before, *after;
	double all;

	fuzz_unpack(data, size, names);
	read_text(text);
	free(text);
	noise_throttle_read(&throttle, fuzz_dir);
	sysfile_line(line, sizeof(line), "%s/proc/stat", fuzz_dir);
	sysfile_number(0, "cpu", "%s/proc/stat", fuzz_dir);
	before = irqs_read(fuzz_dir, 0);
	after = irqs_read(fuzz_dir, 1);
	json_decref(counts_between(before, after, &all));
	json_decref(before);
	json_decref(after);
	return 0;
}
