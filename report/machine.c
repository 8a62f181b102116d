/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checks.h"
#include "err.h"
#include "text.h"
#include "timer.h"

json_t *machine_string(const char *text)
{
	json_t *s = text && *text ? json_string(text) : NULL;

	return s ? s : json_null();
}

json_t *machine_read(const char *path)
{
	char *line = text_line(path);
	json_t *s;

	if (line) /* /proc pads some lines */
		for (size_t n = strlen(line); n && line[n - 1] == ' ';)
			line[--n] = '\0';
	s = machine_string(line);
	free(line);
	return s;
}

json_t *machine_cpu_file(int cpu, const char *name)
{
	char *path = text_format("/sys/devices/system/cpu/cpu%d/%s", cpu, name);
	json_t *s = machine_read(path);

	free(path);
	return s;
}

/* Pin to @cpu, or to the last CPU that this process may use if it is -1: the
 * first ones get the interrupts.  Return: the CPU or -errno. */
static int pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0) {
		if (sched_getaffinity(0, sizeof(set), &set))
			return -errno;
		for (int i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &set))
				cpu = i;
	}
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return -EINVAL;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : cpu;
}

static json_t *hz_or_null(double hz)
{
	return hz > 0 ? json_real(hz) : json_null();
}

static json_t *describe_timer(const struct timer *t)
{
	return json_pack("{s:s, s:o, s:f, s:f, s:I, s:o, s:b}", "method",
			 timer_name(t->method), "why", machine_string(t->why),
			 "quantum_ticks", t->quantum_ticks, "overhead_ticks",
			 t->overhead_ticks, "cpuid_ticks",
			 (json_int_t)t->features.cpuid_ticks, "core_hz",
			 hz_or_null(t->core_hz), "fence_holds",
			 t->features.fence_holds);
}

static json_t *describe_tsc(const struct timer *t)
{
	return json_pack("{s:o, s:b, s:b}", "hz", hz_or_null(t->tsc_hz),
			 "invariant", t->features.invariant, "rdtscp",
			 t->features.rdtscp);
}

/* Choose and calibrate as a measuring program does. */
static int calibrate(struct timer *t, const char *name, const char **why)
{
	int method;

	timer_probe(&t->features);
	method = name ? timer_find(name) : (int)timer_choose(&t->features, why);
	if (method < 0) {
		*why = "--timer: no such method; cpuid, cpuid2, lfence, none "
		       "or clock";
		return -EINVAL;
	}
	if (!timer_usable((enum timer_method)method, &t->features, why))
		return -ENOTSUP;
	if (timer_calibrate(t, (enum timer_method)method, 0)) {
		*why = "--timer: this method cannot be used here";
		return -ENOTSUP;
	}
	if (name)
		snprintf(t->why, sizeof(t->why), "%s", "chosen by --timer");
	else if (!t->why[0])
		snprintf(t->why, sizeof(t->why), "%s", *why);
	return 0;
}

static json_t *hostname(void)
{
	char name[256];

	if (gethostname(name, sizeof(name)))
		return json_null();
	name[sizeof(name) - 1] = '\0';
	return machine_string(name);
}

json_t *machine_describe(const struct machine_options *o, const char **why)
{
	struct timer t = { 0 };
	json_t *m;
	int cpu = pin(o->cpu);

	if (cpu < 0) {
		*why = "--cpu: this process may not use that CPU";
		return NULL;
	}
	if (calibrate(&t, o->timer, why))
		return NULL;
	m = json_object();
	json_object_set_new(m, "schema", json_integer(1));
	json_object_set_new(m, "hostname", hostname());
	json_object_set_new(m, "measuring_cpu", json_integer(cpu));
	json_object_set_new(m, "cpu", machine_cpu(cpu));
	json_object_set_new(m, "caches", machine_caches(cpu));
	machine_system(m, cpu);
	json_object_set_new(m, "checks", checks_read("", cpu));
	json_object_set_new(m, "compiler", machine_string(o->compiler));
	json_object_set_new(m, "flags", machine_string(o->flags));
	json_object_set_new(m, "tsc", describe_tsc(&t));
	json_object_set_new(m, "timer", describe_timer(&t));
	return m;
}
