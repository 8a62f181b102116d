/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch.h"
#include "machine.h"

#define LOAD_MAX  0.5	/* tasks that want to run beside ours */
#define STEAL_MAX 0.001 /* share of time since the start; grade A's bound */

enum answer { UNKNOWN, OK, BAD };

static const char *const answers[] = { "unknown", "ok", "bad" };

/* A file, @cpu's number put in for the %d of its name if it has one. */
struct check {
	const char *name, *file;
	enum answer (*judge)(const char *text, int cpu);
	const char *mend;
	bool of_host;	    /* a guest is told what its hypervisor likes */
	const char *vendor; /* of the only processors that have it; or NULL */
};

/* What /proc/cpuinfo says of the first CPU. */
struct processor {
	bool guest;
	char *vendor; /* NULL: unknown */
};

static enum answer when(bool good)
{
	return good ? OK : BAD;
}

static enum answer performance(const char *text, int cpu)
{
	return when(!strcmp(text, "performance"));
}

static enum answer one(const char *text, int cpu)
{
	return when(*text == '1');
}

static enum answer zero(const char *text, int cpu)
{
	return when(*text == '0');
}

static enum answer two(const char *text, int cpu)
{
	return when(*text == '2');
}

static enum answer not_always(const char *text, int cpu)
{
	return when(!strstr(text, "[always]"));
}

static enum answer is_tsc(const char *text, int cpu)
{
	return when(!strcmp(text, ARCH_CLOCKSOURCE));
}

/* Whether @cpu is in a list such as "1,3-5". */
static enum answer listed(const char *text, int cpu)
{
	return when(field_list_has(text, cpu));
}

/* The suite prices the system as it is used. */
static enum answer mitigated(const char *text, int cpu)
{
	return when(!strstr(text, "mitigations=off"));
}

static enum answer idle(const char *text, int cpu)
{
	return when(strtod(text, NULL) < LOAD_MAX);
}

static const struct check checks[] = {
	{ .name = "frequency governor",
	  .file = "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
	  .judge = performance,
	  .mend = "sudo scripts/tune apply" },
	{ .name = "turbo off (Intel)",
	  .file = "/sys/devices/system/cpu/intel_pstate/no_turbo",
	  .judge = one,
	  .mend = "sudo scripts/tune apply",
	  .vendor = "GenuineIntel" },
	{ .name = "turbo off (others)",
	  .file = "/sys/devices/system/cpu/cpufreq/boost",
	  .judge = zero,
	  .mend = "sudo scripts/tune apply" },
	{ .name = "no throttling since the start",
	  .file = "/sys/devices/system/cpu/cpu%d/thermal_throttle/"
		  "core_throttle_count",
	  .judge = zero,
	  .mend = "cool the machine; a fixed lower frequency helps" },
	{ .name = "SMT off",
	  .file = "/sys/devices/system/cpu/smt/active",
	  .judge = zero,
	  .mend = "echo off | sudo tee /sys/devices/system/cpu/smt/control",
	  .of_host = true },
	{ .name = "huge pages only on request",
	  .file = "/sys/kernel/mm/transparent_hugepage/enabled",
	  .judge = not_always,
	  .mend = "sudo scripts/tune apply" },
	{ .name = "address randomisation on",
	  .file = "/proc/sys/kernel/randomize_va_space",
	  .judge = two,
	  .mend = "sudo scripts/tune apply" },
	{ .name = "measuring CPU isolated",
	  .file = "/sys/devices/system/cpu/isolated",
	  .judge = listed,
	  .mend = "start the kernel with isolcpus=N nohz_full=N rcu_nocbs=N" },
	{ .name = "mitigations as users have them",
	  .file = "/proc/cmdline",
	  .judge = mitigated,
	  .mend = "start the kernel without mitigations=off" },
	{ .name = "clock source is the TSC",
	  .file = "/sys/devices/system/clocksource/clocksource0/"
		  "current_clocksource",
	  .judge = is_tsc,
	  .mend = "echo " ARCH_CLOCKSOURCE " | sudo tee "
		  "/sys/devices/system/clocksource/clocksource0/"
		  "current_clocksource" },
	{ .name = "no other load (one minute)",
	  .file = "/proc/loadavg",
	  .judge = idle,
	  .mend = "stop what runs beside: top tells what" },
};

static void add(json_t *list, const char *name, enum answer answer, char *value,
		const char *file, const char *mend)
{
	json_array_append_new(list,
			      json_pack("{s:s, s:s, s:o, s:s, s:o}", "name",
					name, "answer", answers[answer],
					"value", machine_string(value), "file",
					file, "mend",
					answer == BAD ? machine_string(mend)
						      : json_null()));
	free(value);
}

/* @file below @root, with the number of the CPU in its place. */
static char *locate(const char *file, int cpu)
{
	const char *at = strstr(file, "%d");

	return at ? text_format("%.*s%d%s", (int)(at - file), file, cpu, at + 2)
		  : text_format("%s", file);
}

static struct processor read_processor(const char *root)
{
	char *text = sysfile_text("%s/proc/cpuinfo", root);
	char *flags = machine_cpuinfo(text, "flags");
	struct processor p = {
		.guest = flags && strstr(flags, " hypervisor"),
		.vendor = machine_cpuinfo(text, "vendor_id"),
	};

	free(flags);
	free(text);
	return p;
}

static void run_check(json_t *list, const struct check *c, const char *root,
		      int cpu, const struct processor *p)
{
	char *file, *value;
	enum answer answer;

	if (c->vendor && p->vendor && strcmp(c->vendor, p->vendor) != 0)
		return;
	file = locate(c->file, cpu);
	value = sysfile_first("%s%s", root, file);
	answer = value ? c->judge(value, cpu) : UNKNOWN;
	if (value && c->of_host && p->guest) {
		char *own = value;

		value = text_format("%s: the guest's, not the host's", own);
		free(own);
		answer = UNKNOWN;
	}
	add(list, c->name, answer, value, file, c->mend);
	free(file);
}

/* What the kernel counted for @cpu since the start, in its own ticks: all its
 * time, and what the hypervisor gave to others (NAN: an old kernel). */
static double counted(const char *root, int cpu, double *steal)
{
	char *text = sysfile_text("%s/proc/stat", root);
	char *key = text_format("cpu%d", cpu);
	const char *line = field_behind(text, key);
	double all = 0;

	*steal = NAN;
	/* user nice system idle iowait irq softirq steal */
	for (unsigned int i = 0; i < 8; i++) {
		const int64_t n = field_number(field_nth(line, i), -1);

		if (n < 0)
			break;
		all += (double)n;
		*steal = i == 7 ? (double)n : NAN;
	}
	free(key);
	free(text);
	return all;
}

static double stolen(const char *root, int cpu)
{
	double steal, all = counted(root, cpu, &steal);

	return all > 0 ? steal / all : NAN;
}

double machine_steal_ns(const char *root, int cpu)
{
	double steal;

	counted(root, cpu, &steal);
	return steal * 1e9 / (double)sysconf(_SC_CLK_TCK);
}

json_t *machine_checks(const char *root, int cpu)
{
	json_t *list = json_array();
	double share = stolen(root, cpu);
	struct processor p = read_processor(root);

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		run_check(list, &checks[i], root, cpu, &p);
	free(p.vendor);
	add(list, "no steal since the start",
	    isfinite(share) ? when(share < STEAL_MAX) : UNKNOWN,
	    isfinite(share) ? text_format("%.3f %%", 100 * share) : NULL,
	    "/proc/stat",
	    "ask for a dedicated CPU, or measure when the host is idle");
	return list;
}
