/* SPDX-License-Identifier: MIT */
#include <glob.h>
#include <hwloc.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "arch.h"
#include "arch_ask.h"
#include "bench.h"
#include "caches.h"
#include "err.h"
#include "machine.h"
#include "opts.h"
#include "rate.h"
#include "timer.h"
#include "topo.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#define LIBC "glibc %s", gnu_get_libc_version()
#else
#define LIBC "not glibc"
#endif

static json_t *positive(json_int_t n)
{
	return n > 0 ? json_integer(n) : json_null();
}

/* The machine as hwloc sees it, NULL if it cannot.  A topology that is not
 * this machine's (HWLOC_SYNTHETIC) is refused: it would describe another. */
static hwloc_topology_t open_topology(void)
{
	hwloc_topology_t topo;

	if (hwloc_topology_init(&topo))
		return NULL;
	/* By default hwloc leaves instruction caches out. */
	hwloc_topology_set_icache_types_filter(topo,
					       HWLOC_TYPE_FILTER_KEEP_ALL);
	if (!hwloc_topology_load(topo)) {
		if (hwloc_topology_is_thissystem(topo))
			return topo;
		warn("hwloc does not describe this machine (HWLOC_SYNTHETIC or "
		     "HWLOC_XMLFILE is set): caches and cores are left "
		     "unknown; unset it");
	}
	hwloc_topology_destroy(topo);
	return NULL;
}

static json_t *count(hwloc_topology_t topo, hwloc_obj_type_t type)
{
	return positive(topo ? hwloc_get_nbobjs_by_type(topo, type) : 0);
}

static json_t *describe_cpu(hwloc_topology_t topo)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "pus",
			      count(topo, HWLOC_OBJ_PU), "cores",
			      count(topo, HWLOC_OBJ_CORE), "packages",
			      count(topo, HWLOC_OBJ_PACKAGE), "numa_nodes",
			      count(topo, HWLOC_OBJ_NUMANODE));

	identity_cpu(o, "", NULL);
	return o;
}

static json_t *describe_cache(hwloc_obj_t obj)
{
	static const char *const types[] = {
		[HWLOC_OBJ_CACHE_UNIFIED] = "unified",
		[HWLOC_OBJ_CACHE_DATA] = "data",
		[HWLOC_OBJ_CACHE_INSTRUCTION] = "instruction",
	};
	const struct hwloc_cache_attr_s *a = &obj->attr->cache;

	return json_pack("{s:I, s:s, s:o, s:o, s:o, s:I}", "level",
			 (json_int_t)a->depth, "type", types[a->type],
			 "size_bytes", positive((json_int_t)a->size),
			 "line_bytes", positive((json_int_t)a->linesize),
			 "ways", positive(a->associativity), "shared_by_pus",
			 (json_int_t)hwloc_bitmap_weight(obj->cpuset));
}

/* The caches of known size between @cpu and memory, level 1 first. */
static json_t *describe_caches(hwloc_topology_t topo, unsigned int cpu)
{
	hwloc_obj_t up = topo ? hwloc_get_pu_obj_by_os_index(topo, cpu) : NULL;
	json_t *list = json_array();

	for (; up; up = up->parent)
		if (hwloc_obj_type_is_cache(up->type) && cache_bytes(up))
			json_array_append_new(list, describe_cache(up));
	return list;
}

static json_t *hypervisor(void)
{
	char signature[ARCH_SIGNATURE];

	if (!arch_hypervisor(signature))
		return identity_hypervisor("");
	if (!*signature)
		return json_string("none");
	return identity_signature(signature);
}

static json_t *mitigations(void)
{
	json_t *o = json_object();
	glob_t files;

	(void)glob("/sys/devices/system/cpu/vulnerabilities/*", 0, NULL,
		   &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];

		json_object_set_new(o, strrchr(path, '/') + 1,
				    machine_text(sysfile_first("%s", path)));
	}
	globfree(&files);
	return json_object_size(o) ? o : json_null();
}

static const struct machine_fact system_facts[] = {
	{ "os", FACT_TEXT, "/etc/os-release", "PRETTY_NAME" },
	/* Whether the processor may run faster than its nominal frequency. */
	{ "turbo", FACT_IS_0, "/sys/devices/system/cpu/intel_pstate/no_turbo",
	  NULL },
	{ "turbo", FACT_IS_1, "/sys/devices/system/cpu/cpufreq/boost", NULL },
	{ "thp", FACT_CHOSEN, "/sys/kernel/mm/transparent_hugepage/enabled",
	  NULL },
	{ "aslr", FACT_NUMBER, "/proc/sys/kernel/randomize_va_space", NULL },
	{ "clocksource", FACT_TEXT,
	  "/sys/devices/system/clocksource/clocksource0/current_clocksource",
	  NULL },
	{ 0 },
};

static json_t *hz_or_null(double hz)
{
	return hz > 0 ? json_real(hz) : json_null();
}

static json_t *describe_timer(const struct timer *t, const char *why)
{
	return json_pack("{s:s, s:o, s:f, s:f, s:I, s:o, s:b}", "method",
			 timer_name(t->method), "why", machine_string(why),
			 "quantum_ticks", t->quantum_ticks, "overhead_ticks",
			 t->overhead_ticks, "cpuid_ticks",
			 (json_int_t)t->features.trap_ticks, "core_hz",
			 hz_or_null(t->core_hz), "fence_holds",
			 t->features.fence_holds);
}

static json_t *describe_tsc(const struct timer *t)
{
	return json_pack("{s:o, s:o, s:b, s:b}", "hz", hz_or_null(t->tsc_hz),
			 "rate", rate_describe(t->tsc_hz), "invariant",
			 t->features.invariant, "rdtscp", t->features.fenced);
}

/* Choose and calibrate as a measuring program does. */
static bool calibrate(struct timer *t, const char *name, const char **why)
{
	int method;

	timer_probe(&t->features);
	method = timer_choose(&t->features, why);
	if (name)
		method = timer_find(name);
	if (method < 0)
		*why = text_format("--timer %s: not one of " TIMER_NAMES
				   "clock%s",
				   name, opts_meant(name, TIMER_NAMES "clock"));
	if (method < 0 ||
	    !timer_usable((enum timer_method)method, &t->features, why))
		return false;
	if (timer_calibrate(t, (enum timer_method)method, 0)) {
		*why = "--timer: this method cannot be used here";
		return false;
	}
	*why = name ? "chosen by --timer" : *why;
	return true;
}

json_t *machine_describe(int cpu, const char *timer, const char **why)
{
	struct timer t = { 0 };
	struct utsname u = { .nodename = "" };
	hwloc_topology_t topo;
	json_t *m;

	if (cpu < 0)
		cpu = topo_last_cpu(); /* the first ones get the interrupts */
	if (bench_bind(0, &cpu, 1)) {
		*why = text_format("--cpu %d may not be used", cpu);
		return NULL;
	}
	if (!calibrate(&t, timer, why))
		return NULL;
	topo = open_topology();
	(void)uname(&u);
	m = json_pack(
		"{s:i, s:o, s:i, s:o, s:o, s:I, s:o, s:{s:o, s:o, s:o, s:o}, "
		"s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o}",
		"schema", 1, "hostname", machine_string(u.nodename),
		"measuring_cpu", cpu, "cpu", describe_cpu(topo), "caches",
		describe_caches(topo, (unsigned int)cpu), "page_bytes",
		(json_int_t)sysconf(_SC_PAGESIZE), "memory_bytes",
		positive(1024 * sysfile_number(0, "MemTotal", "/proc/meminfo")),
		"kernel", "architecture", machine_string(u.machine), "release",
		machine_string(u.release), "version", machine_string(u.version),
		"command_line", machine_text(sysfile_first("/proc/cmdline")),
		"hypervisor", hypervisor(), "governor",
		machine_text(sysfile_first("/sys/devices/system/cpu/cpu%d/"
					   "cpufreq/scaling_governor",
					   cpu)),
		"mitigations", mitigations(), "libc",
		machine_text(text_format(LIBC)), "compiler", COMPILER, "flags",
		OSCOST_CFLAGS, "tsc", describe_tsc(&t), "timer",
		describe_timer(&t, *why));
	machine_fill(m, "", system_facts);
	if (topo)
		hwloc_topology_destroy(topo);
	return m;
}
