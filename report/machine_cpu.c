/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "machine.h"
#include "text.h"

char *machine_cpuinfo(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line && *line != '\n';) {
		const char *v = line + len;
		const char *next = strchr(line, '\n');

		if (!strncmp(line, key, len) && (*v == '\t' || *v == ':')) {
			v += strspn(v, "\t :");
			return text_format("%.*s", (int)strcspn(v, "\n"), v);
		}
		line = next ? next + 1 : NULL;
	}
	return NULL;
}

static void set_text(json_t *o, const char *name, const char *text,
		     const char *key)
{
	char *v = machine_cpuinfo(text, key);

	json_object_set_new(o, name, machine_string(v));
	free(v);
}

static void set_number(json_t *o, const char *name, const char *text,
		       const char *key)
{
	char *v = machine_cpuinfo(text, key);

	json_object_set_new(o, name,
			    v ? json_integer(strtol(v, NULL, 10))
			      : json_null());
	free(v);
}

/* The machine as hwloc sees it, NULL if it cannot.  A topology that is not
 * this machine's (HWLOC_SYNTHETIC) is refused: it would describe another. */
static hwloc_topology_t open_topology(void)
{
	hwloc_topology_t topo;

	if (hwloc_topology_init(&topo))
		return NULL;
	if (hwloc_topology_load(topo)) {
		hwloc_topology_destroy(topo);
		return NULL;
	}
	if (!hwloc_topology_is_thissystem(topo)) {
		warn("hwloc does not describe this machine (HWLOC_SYNTHETIC or "
		     "HWLOC_XMLFILE is set): caches and cores are left "
		     "unknown; unset it");
		hwloc_topology_destroy(topo);
		return NULL;
	}
	return topo;
}

static json_t *count(hwloc_topology_t topo, hwloc_obj_type_t type)
{
	int n = topo ? hwloc_get_nbobjs_by_type(topo, type) : 0;

	return n > 0 ? json_integer(n) : json_null();
}

json_t *machine_cpu(int cpu)
{
	char *text = text_file("/proc/cpuinfo", 64 << 20);
	char *smt = text_line("/sys/devices/system/cpu/smt/active");
	hwloc_topology_t topo = open_topology();
	json_t *o = json_object();

	(void)cpu;
	set_text(o, "model", text, "model name");
	set_text(o, "vendor", text, "vendor_id");
	set_number(o, "family", text, "cpu family");
	set_number(o, "model_number", text, "model");
	set_number(o, "stepping", text, "stepping");
	set_text(o, "microcode", text, "microcode");
	json_object_set_new(o, "pus", count(topo, HWLOC_OBJ_PU));
	json_object_set_new(o, "cores", count(topo, HWLOC_OBJ_CORE));
	json_object_set_new(o, "packages", count(topo, HWLOC_OBJ_PACKAGE));
	json_object_set_new(o, "numa_nodes", count(topo, HWLOC_OBJ_NUMANODE));
	json_object_set_new(o, "smt",
			    smt ? json_boolean(*smt == '1') : json_null());
	set_text(o, "flags", text, "flags");
	if (topo)
		hwloc_topology_destroy(topo);
	free(smt);
	free(text);
	return o;
}

static const char *cache_type(hwloc_obj_cache_type_t type)
{
	switch (type) {
	case HWLOC_OBJ_CACHE_DATA:
		return "data";
	case HWLOC_OBJ_CACHE_INSTRUCTION:
		return "instruction";
	default:
		return "unified";
	}
}

static json_t *positive(json_int_t n)
{
	return n > 0 ? json_integer(n) : json_null();
}

static json_t *describe_cache(hwloc_obj_t obj)
{
	const struct hwloc_cache_attr_s *a = &obj->attr->cache;

	return json_pack("{s:I, s:s, s:o, s:o, s:o, s:I}", "level",
			 (json_int_t)a->depth, "type", cache_type(a->type),
			 "size_bytes", positive((json_int_t)a->size),
			 "line_bytes", positive((json_int_t)a->linesize),
			 "ways", positive(a->associativity), "shared_by_pus",
			 (json_int_t)hwloc_bitmap_weight(obj->cpuset));
}

/* The caches between @cpu and memory, level 1 first. */
json_t *machine_caches(int cpu)
{
	hwloc_topology_t topo = open_topology();
	json_t *list = json_array();
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	if (topo && set) {
		hwloc_obj_t obj = NULL;

		hwloc_topology_destroy(topo);
		/* By default hwloc leaves instruction caches out. */
		hwloc_topology_init(&topo);
		hwloc_topology_set_icache_types_filter(
			topo, HWLOC_TYPE_FILTER_KEEP_ALL);
		hwloc_topology_load(topo);
		hwloc_bitmap_only(set, (unsigned int)cpu);
		while ((obj = hwloc_get_next_obj_covering_cpuset_by_type(
				topo, set, HWLOC_OBJ_PU, obj)))
			for (hwloc_obj_t up = obj->parent; up; up = up->parent)
				if (hwloc_obj_type_is_cache(up->type))
					json_array_append_new(list,
							      describe_cache(
								      up));
		hwloc_topology_destroy(topo);
	}
	hwloc_bitmap_free(set);
	return list;
}
