/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limiters.h"
#include "machine.h"
#include "predictions.h"
#include "text.h"
#include "units.h"

/* "# name: text" for what the machine says of itself. */
static void fact(FILE *f, const char *name, const char *text)
{
	fprintf(f, "#   %s: ", name);
	text_plain(f, text ? text : "unknown");
	fputc('\n', f);
}

/* The number behind "key ... :" in a file of /proc; NAN if there is none. */
static double proc_number(const char *path, const char *key)
{
	char *text = text_file(path, 64 << 20);
	char *at = text ? strstr(text, key) : NULL;
	double x = NAN;

	if (at) {
		at += strlen(key);
		at += strspn(at, "\t :");
		x = strtod(at, NULL);
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
		char size[UNITS_MAX];
		char *name = text_format("L%" JSON_INTEGER_FORMAT " %s cache",
					 json_integer_value(
						 json_object_get(c, "level")),
					 run_text(c, "type"));

		fact(f, name,
		     units_format(size, run_number(c, "size_bytes"), "B"));
		free(name);
	}
	json_decref(caches);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Each network interface with the speed that it says it has. */
static void put_links(FILE *f)
{
	struct dirent **v;
	int n = scandir("/sys/class/net", &v, visible, alphasort);

	for (int i = 0; i < n; i++) {
		char *path =
			text_format("/sys/class/net/%s/speed", v[i]->d_name);
		char *speed = text_line(path);
		long mbit = speed ? strtol(speed, NULL, 10) : 0;
		char *name = text_format("link %s", v[i]->d_name);
		char *said = mbit > 0 ? text_format("%ld Mbit/s", mbit)
				      : text_copy("says no speed");

		if (strcmp(v[i]->d_name, "lo") != 0)
			fact(f, name, said);
		free(said);
		free(name);
		free(speed);
		free(path);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

static void put_disk(FILE *f, const char *disk)
{
	char *size_path = text_format("/sys/block/%s/size", disk);
	char *kind_path = text_format("/sys/block/%s/queue/rotational", disk);
	char *sectors = text_line(size_path), *kind = text_line(kind_path);
	double bytes = sectors ? 512 * strtod(sectors, NULL) : 0;
	char *name = text_format("disk %s", disk), *said;
	char size[UNITS_MAX];

	if (bytes > 0) {
		said = text_format("%s, says it %s",
				   units_format(size, bytes, "B"),
				   kind && *kind == '1' ? "rotates"
							: "does not rotate");
		fact(f, name, said);
		free(said);
	}
	free(name);
	free(kind);
	free(sectors);
	free(kind_path);
	free(size_path);
}

static void put_disks(FILE *f)
{
	struct dirent **v;
	int n = scandir("/sys/block", &v, visible, alphasort);

	for (int i = 0; i < n; i++) {
		const char *d = v[i]->d_name;

		if (strncmp(d, "loop", 4) != 0 && strncmp(d, "ram", 3) != 0 &&
		    strncmp(d, "zram", 4) != 0)
			put_disk(f, d);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

/* The clock that the machine says it has; TSC and core may differ from it. */
static double said_clock_hz(void)
{
	return 1e6 * proc_number("/proc/cpuinfo", "cpu MHz");
}

static void put_machine(FILE *f)
{
	json_t *cpu = machine_cpu(0);
	double hz = said_clock_hz();
	double kib = proc_number("/proc/meminfo", "MemTotal");
	char memory[UNITS_MAX];

	fputs("# What this machine says of itself; none of it was measured:\n",
	      f);
	fact(f, "processor", run_text(cpu, "model"));
	put_caches(f);
	fact(f, "memory", units_format(memory, 1024 * kib, "B"));
	put_links(f);
	put_disks(f);
	fputs("\n[machine]\n"
	      "# from /proc/cpuinfo; turns cycles into time\n",
	      f);
	if (hz > 0)
		fprintf(f, "clock = %.6g MHz\n", hz / 1e6);
	else
		fputs("clock =\n", f);
	json_decref(cpu);
}

static void put_operation(FILE *f, const struct operation *op)
{
	const char *words = !strcmp(op->unit, "ns")  ? "ns, us, ms, s, cycles"
			    : !strcmp(op->unit, "B") ? "KiB, MiB, GiB, MB, GB"
			    : !strcmp(op->unit, "ns/B") ? "ns/B, us/B"
							: "MB/s, GB/s, Mbit/s, "
							  "Gbit/s";

	fprintf(f, "\n# %s (%s)\n", op->label, words);
	limiters_list(f, op);
	fprintf(f, "[%s]\nbase =\nsoftware =\npredicted =\nwhy =\nlimiter =\n",
		op->id);
}

void predictions_template(FILE *f, const struct operations *ops)
{
	const char *section = "";

	fputs("# What do you expect each operation to cost, before you "
	      "measure it?\n"
	      "# Fill in what you can, with units; what is empty stays empty "
	      "in the report.\n"
	      "#   base       what the hardware alone needs\n"
	      "#   software   what the operating system adds\n"
	      "#   predicted  the whole; base + software if left empty\n"
	      "#   why        the reasoning; longer texts go on in the next "
	      "line, indented\n"
	      "#   limiter    what limits it, in your opinion\n"
	      "# Then measure: make run-all keeps this file with the results. "
	      "The report says\n"
	      "# whether it is older than the run.  To check it: report "
	      "predictions FILE\n"
	      "#\n",
	      f);
	put_machine(f);
	for (size_t i = 0; i < ops->n; i++) {
		if (strcmp(section, ops->v[i].section) != 0)
			fprintf(f, "\n# ---- %s ----\n", ops->v[i].section);
		section = ops->v[i].section;
		put_operation(f, &ops->v[i]);
	}
}
