/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "tap.h"

static char root[] = "/tmp/test-checks-XXXXXX";

/* Run a shell command; takes @command over. */
static void run(char *command)
{
	if (system(command))
		printf("# %s failed\n", command);
	free(command);
}

/* A file below root with one line. */
static void set(const char *file, const char *line)
{
	char *path = text_format("%s%s", root, file);
	char *dir = text_format("%s", file);
	FILE *f;

	*strrchr(dir, '/') = '\0';
	run(text_format("mkdir -p %s%s", root, dir));
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%s\n", line);
		fclose(f);
	}
	free(dir);
	free(path);
}

/* The answer to the check whose name begins with @name, for CPU 1. */
static int says(const char *name, const char *want)
{
	json_t *list = machine_checks(root, 1), *c;
	const char *answer = "none";
	size_t i;
	int same;

	json_array_foreach(list, i, c)
	{
		const char *n = json_string_value(json_object_get(c, "name"));

		if (!strncmp(n, name, strlen(name)))
			answer =
				json_string_value(json_object_get(c, "answer"));
	}
	same = !strcmp(answer, want);
	if (!same)
		printf("# %s: %s\n", name, answer);
	json_decref(list);
	return same;
}

#define CPU "/sys/devices/system/cpu"

static void answers(void)
{
	OK(says("frequency governor", "unknown") &&
		   says("no steal", "unknown") && says("SMT", "unknown"),
	   "what cannot be read is unknown");
	set(CPU "/cpu1/cpufreq/scaling_governor", "powersave");
	OK(says("frequency governor", "bad"), "a governor that saves power");
	set(CPU "/cpu1/cpufreq/scaling_governor", "performance");
	OK(says("frequency governor", "ok"), "one that does not");
	set(CPU "/intel_pstate/no_turbo", "0");
	OK(says("turbo off (Intel)", "bad"), "turbo");
	set(CPU "/isolated", "");
	OK(says("measuring CPU isolated", "bad"), "no CPU is isolated");
	set(CPU "/isolated", "0,2-4");
	OK(says("measuring CPU isolated", "bad"), "not this one");
	set(CPU "/isolated", "0-1,7");
	OK(says("measuring CPU isolated", "ok"), "this one");
	set("/sys/kernel/mm/transparent_hugepage/enabled",
	    "[always] madvise never");
	OK(says("huge pages", "bad"), "huge pages for all");
	set("/proc/sys/kernel/randomize_va_space", "0");
	OK(says("address randomisation", "bad"), "no randomisation");
	set("/proc/cmdline", "quiet mitigations=off");
	OK(says("mitigations", "bad"), "mitigations off");
	set("/proc/loadavg", "0.02 0.5 0.9 1/99 7");
	OK(says("no other load", "ok"), "an idle machine");
	set("/proc/stat", "cpu 1 1\ncpu0 9 9 9 9 9 9 9 999 0 0\n"
			  "cpu1 500 0 0 500 0 0 0 0 0 0");
	OK(says("no steal", "ok"), "nothing stolen from this CPU");
	set("/proc/stat", "cpu 1 1\ncpu1 500 0 0 480 0 0 0 20 0 0");
	OK(says("no steal", "bad"), "2 % stolen");
	set("/proc/stat", "cpu 1 1\ncpu1 500 0 0");
	OK(says("no steal", "unknown"), "an old kernel does not say");
}

/* The same files on another processor, or in a guest. */
static void processors(void)
{
	set(CPU "/smt/active", "0");
	set(CPU "/intel_pstate/no_turbo", "0");
	OK(says("SMT off", "ok"), "one thread a core, nobody above");
	set("/proc/cpuinfo",
	    "vendor_id\t: GenuineIntel\nflags\t\t: fpu ht ssse3");
	OK(says("turbo off (Intel)", "bad"), "Intel's turbo is asked of Intel");
	set("/proc/cpuinfo",
	    "vendor_id\t: AuthenticAMD\nflags\t\t: fpu ht ssse3\nbugs\t: x");
	OK(says("turbo off (Intel)", "none"), "and not of others");
	OK(says("turbo off (others)", "unknown"), "who are asked for theirs");
	OK(says("SMT off", "ok"), "a machine of its own knows its threads");
	set("/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
			     "flags\t\t: fpu rdrand hypervisor lahf_lm");
	OK(says("SMT off", "unknown"), "a guest does not");
	set(CPU "/smt/active", "1");
	OK(says("SMT off", "unknown"), "whatever it was told");
	set("/proc/cpuinfo", "flags\t\t: fpu");
	OK(says("SMT off", "bad") && says("turbo off (Intel)", "bad"),
	   "without a vendor all is asked");
}

int main(void)
{
	if (!mkdtemp(root)) {
		perror(root);
		return 1;
	}
	answers();
	processors();
	run(text_format("rm -rf %s", root));
	return tap_done();
}
