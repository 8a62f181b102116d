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

/* Each network interface with the speed that it says it has. */
static void put_link(FILE *f, const char *link)
{
	char *speed = machine_line("/sys/class/net/%s/speed", link);
	const long mbit = speed ? strtol(speed, NULL, 10) : 0;
	char *name = machine_format("link %s", link);
	char said[40] = "says no speed";

	if (mbit > 0)
		snprintf(said, sizeof(said), "%ld Mbit/s", mbit);
	fact(f, name, said);
	free(name);
	free(speed);
}

static void put_disk(FILE *f, const char *disk)
{
	char *sectors = machine_line("/sys/block/%s/size", disk);
	char *kind = machine_line("/sys/block/%s/queue/rotational", disk);
	const double bytes = sectors ? 512 * strtod(sectors, NULL) : 0;
	char *name = machine_format("disk %s", disk), *said;
	char size[UNITS_MAX];

	said = machine_format("%s, says it %s", units_format(size, bytes, "B"),
			      kind && *kind == '1' ? "rotates"
						   : "does not rotate");
	if (bytes > 0)
		fact(f, name, said);
	free(said);
	free(name);
	free(kind);
	free(sectors);
}

static void put_all(FILE *f, const char *dir,
		    void (*put)(FILE *f, const char *name))
{
	struct dirent **v;
	int n = scandir(dir, &v, wanted, alphasort);

	for (int i = 0; i < n; i++) {
		put(f, v[i]->d_name);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
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
	put_all(f, "/sys/class/net", put_link);
	put_all(f, "/sys/block", put_disk);
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
