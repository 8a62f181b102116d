/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "units.h"

/* "#   name: text", on one line whatever the text holds. */
static void fact(FILE *f, const char *name, const char *text)
{
	fprintf(f, "#   %s: ", name);
	for (const char *c = text ? text : "unknown"; *c; c++)
		fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, f);
	fputc('\n', f);
}

static void put_caches(FILE *f)
{
	json_t *caches = machine_caches(0), *c;
	size_t i;

	json_array_foreach(caches, i, c)
	{
		json_int_t level = 0;
		const char *type = "";
		double bytes = 0;
		char name[64], size[UNITS_MAX];

		json_unpack(c, "{s:I, s:s, s?F}", "level", &level, "type",
			    &type, "size_bytes", &bytes);
		snprintf(name, sizeof(name), "L%lld %s cache", (long long)level,
			 type);
		fact(f, name,
		     bytes > 0 ? units_format(size, bytes, "B") : NULL);
	}
	json_decref(caches);
}

/* One line for each of @all, which is given up: "disk vda", and what @say
 * makes of it, a new string. */
static void put_each(FILE *f, const char *kind, json_t *all,
		     char *say(const json_t *one))
{
	json_t *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		char *name = text_format("%s %s", kind,
					 json_string_value(
						 json_object_get(one, "name")));
		char *said = say(one);

		fact(f, name, said);
		free(said);
		free(name);
	}
	json_decref(all);
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? text : "unknown";
}

static char *say_module(const json_t *module)
{
	const double bytes =
		json_number_value(json_object_get(module, "size_bytes"));
	const json_int_t speed =
		json_integer_value(json_object_get(module, "mt_s"));
	char size[UNITS_MAX];

	units_format(size, bytes, "B");
	return speed ? text_format("%s, %s, %lld MT/s", size,
				   text_at(module, "type"), (long long)speed)
		     : text_format("%s, %s, says no speed", size,
				   text_at(module, "type"));
}

static char *say_link(const json_t *link)
{
	const json_int_t mbit =
		json_integer_value(json_object_get(link, "mbit_s"));

	return mbit > 0 ? text_format("%lld Mbit/s, bus %s", (long long)mbit,
				      text_at(link, "bus"))
			: text_format("says no speed, bus %s",
				      text_at(link, "bus"));
}

static char *say_disk(const json_t *disk)
{
	const double bytes =
		json_number_value(json_object_get(disk, "size_bytes"));
	const json_t *rotates = json_object_get(disk, "rotates");
	char size[UNITS_MAX];

	return text_format("%s, bus %s, %s", units_format(size, bytes, "B"),
			   text_at(disk, "bus"),
			   json_is_true(rotates)    ? "says it rotates"
			   : json_is_false(rotates) ? "says it does not "
						      "rotate"
						    : "does not say whether "
						      "it rotates");
}

void machine_nominal(FILE *f)
{
	json_t *cpu = machine_cpu();
	const int64_t kib = sysfile_number(0, "MemTotal", "/proc/meminfo");
	char *cpuinfo = sysfile_text("/proc/cpuinfo");
	char *clock = machine_cpuinfo(cpuinfo, "cpu MHz");
	const double mhz = clock ? strtod(clock, NULL) : 0;
	char memory[UNITS_MAX];

	fputs("# What this machine says of itself; none of it was measured:\n",
	      f);
	fact(f, "processor", json_string_value(json_object_get(cpu, "model")));
	put_caches(f);
	fact(f, "memory", units_format(memory, 1024 * (double)kib, "B"));
	put_each(f, "module", machine_modules(""), say_module);
	put_each(f, "link", machine_links(""), say_link);
	put_each(f, "disk", machine_disks(""), say_disk);
	if (mhz > 0)
		fprintf(f,
			"#   clock: %.6g MHz, says /proc/cpuinfo (in a virtual "
			"machine often the TSC's)\n",
			mhz);
	fputs("\n[machine]\n"
	      "# Cycles become time at the frequency that the core ran at, or "
	      "at this one:\n"
	      "clock =\n",
	      f);
	free(clock);
	free(cpuinfo);
	json_decref(cpu);
}
