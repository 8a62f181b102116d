/* SPDX-License-Identifier: MIT */
#include <dirent.h>
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

/* The number behind "key ... :" in a file of /proc; 0 if there is none. */
static double proc_number(const char *path, const char *key)
{
	char *text = machine_file("%s", path);
	char *at = text ? strstr(text, key) : NULL;
	double x = 0;

	if (at) {
		at += strlen(key);
		x = strtod(at + strspn(at, "\t :"), NULL);
	}
	free(text);
	return x;
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

/* Neither a file of the directory itself nor a device that is made up. */
static int wanted(const struct dirent *d)
{
	static const char *const made_up[] = { ".", "loop", "ram", "zram" };

	for (size_t i = 0; i < sizeof(made_up) / sizeof(*made_up); i++)
		if (!strncmp(d->d_name, made_up[i], strlen(made_up[i])))
			return 0;
	return strcmp(d->d_name, "lo") != 0;
}

/* What @describe says of each name in @dir; null is left out. */
static json_t *each(const char *dir, json_t *(*describe)(const char *name))
{
	json_t *all = json_array();
	struct dirent **v;
	int n = scandir(dir, &v, wanted, alphasort);

	for (int i = 0; i < n; i++) {
		json_t *one = describe(v[i]->d_name);

		if (one)
			json_array_append_new(all, one);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	return all;
}

/* A network interface with the speed that it says it has; NULL of one that has
 * no device, as the bridges of containers. */
static json_t *link_facts(const char *name)
{
	char *device = machine_file("/sys/class/net/%s/device/uevent", name);
	char *speed = machine_line("/sys/class/net/%s/speed", name);
	const json_int_t mbit = speed ? strtol(speed, NULL, 10) : 0;
	json_t *one = NULL;

	if (device)
		one = json_pack("{s:o, s:o}", "name", machine_string(name),
				"mbit_s",
				mbit > 0 ? json_integer(mbit) : json_null());
	free(speed);
	free(device);
	return one;
}

static json_t *disk_facts(const char *name)
{
	char *sectors = machine_line("/sys/block/%s/size", name);
	char *kind = machine_line("/sys/block/%s/queue/rotational", name);
	const json_int_t n = sectors ? strtoll(sectors, NULL, 10) : 0;
	json_t *one = NULL;

	if (n > 0)
		one = json_pack(
			"{s:o, s:o, s:I, s:o}", "name", machine_string(name),
			"model",
			machine_text(machine_line("/sys/block/%s/device/model",
						  name)),
			"size_bytes", 512 * n, "rotates",
			kind ? json_boolean(*kind == '1') : json_null());
	free(kind);
	free(sectors);
	return one;
}

json_t *machine_links(void)
{
	return each("/sys/class/net", link_facts);
}

json_t *machine_disks(void)
{
	return each("/sys/block", disk_facts);
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
		char *name =
			machine_format("%s %s", kind,
				       json_string_value(
					       json_object_get(one, "name")));
		char *said = say(one);

		fact(f, name, said);
		free(said);
		free(name);
	}
	json_decref(all);
}

static char *say_link(const json_t *link)
{
	const json_int_t mbit =
		json_integer_value(json_object_get(link, "mbit_s"));

	return mbit > 0 ? machine_format("%lld Mbit/s", (long long)mbit)
			: machine_format("says no speed");
}

static char *say_disk(const json_t *disk)
{
	const double bytes =
		json_number_value(json_object_get(disk, "size_bytes"));
	const json_t *rotates = json_object_get(disk, "rotates");
	char size[UNITS_MAX];

	return machine_format("%s, %s", units_format(size, bytes, "B"),
			      json_is_true(rotates)    ? "says it rotates"
			      : json_is_false(rotates) ? "says it does not "
							 "rotate"
						       : "does not say whether "
							 "it rotates");
}

void machine_nominal(FILE *f)
{
	json_t *cpu = machine_cpu();
	const double kib = proc_number("/proc/meminfo", "MemTotal");
	const double mhz = proc_number("/proc/cpuinfo", "cpu MHz");
	char memory[UNITS_MAX];

	fputs("# What this machine says of itself; none of it was measured:\n",
	      f);
	fact(f, "processor", json_string_value(json_object_get(cpu, "model")));
	put_caches(f);
	fact(f, "memory", units_format(memory, 1024 * kib, "B"));
	put_each(f, "link", machine_links(), say_link);
	put_each(f, "disk", machine_disks(), say_disk);
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
	json_decref(cpu);
}
