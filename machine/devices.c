/* SPDX-License-Identifier: MIT */
/* Memory modules, disks and network cards, by what they say of themselves. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"

/* Neither a file of the directory itself nor a device that is made up. */
static int wanted(const struct dirent *d)
{
	static const char *const made_up[] = { ".", "loop", "ram", "zram" };

	for (size_t i = 0; i < sizeof(made_up) / sizeof(*made_up); i++)
		if (!strncmp(d->d_name, made_up[i], strlen(made_up[i])))
			return 0;
	return strcmp(d->d_name, "lo") != 0;
}

/* What @describe says of each name in @root/@dir; null is left out. */
static json_t *each(const char *root, const char *dir,
		    json_t *(*describe)(const char *path, const char *name))
{
	char *full = text_format("%s%s", root, dir);
	json_t *all = json_array();
	struct dirent **v;
	int n = scandir(full, &v, wanted, alphasort);

	for (int i = 0; i < n; i++) {
		char *path = text_format("%s/%s", full, v[i]->d_name);
		json_t *one = describe(path, v[i]->d_name);

		if (one)
			json_array_append_new(all, one);
		free(path);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	free(full);
	return all;
}

/* The last name that the link @path points to, "virtio"; NULL if none. */
static char *points_to(const char *path)
{
	char target[PATH_MAX];
	const ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *last;

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	last = strrchr(target, '/');
	return text_format("%s", last ? last + 1 : target);
}

/* The bus of the device in @path, with the speed of its PCI link where it or
 * the one above has one: "pci, 8.0 GT/s PCIe x4". */
static json_t *bus(const char *path)
{
	char *link = text_format("%s/device/subsystem", path);
	char *name = points_to(link);
	char *speed = sysfile_first("%s/device/current_link_speed", path);
	char *width = sysfile_first("%s/device/current_link_width", path);
	char *text = NULL;

	if (!speed && !width) {
		speed = sysfile_first("%s/device/device/current_link_speed",
				      path);
		width = sysfile_first("%s/device/device/current_link_width",
				      path);
	}
	if (name && speed && width)
		text = text_format("%s, %s x%s", name, speed, width);
	free(width);
	free(speed);
	free(link);
	if (!text)
		return machine_text(name);
	free(name);
	return machine_text(text);
}

/* A network interface with the speed that it says it has; NULL of one that has
 * no device, as the bridges of containers. */
static json_t *link_facts(const char *path, const char *name)
{
	char *device = sysfile_text("%s/device/uevent", path);
	const json_int_t mbit = sysfile_number(0, NULL, "%s/speed", path);
	json_t *one = NULL;

	if (device)
		one = json_pack("{s:o, s:o, s:o}", "name", machine_string(name),
				"bus", bus(path), "mbit_s",
				mbit > 0 ? json_integer(mbit) : json_null());
	free(device);
	return one;
}

static json_t *disk_facts(const char *path, const char *name)
{
	char *kind = sysfile_first("%s/queue/rotational", path);
	const json_int_t n = sysfile_number(0, NULL, "%s/size", path);
	json_t *one = NULL;

	if (n > 0)
		one = json_pack(
			"{s:o, s:o, s:o, s:I, s:o}", "name",
			machine_string(name), "model",
			machine_text(sysfile_first("%s/device/model", path)),
			"bus", bus(path), "size_bytes", 512 * n, "rotates",
			kind ? json_boolean(*kind == '1') : json_null());
	free(kind);
	return one;
}

/* A structure of the firmware's table: its bytes, and behind them its texts. */
struct firmware {
	unsigned char byte[1024];
	size_t n;
};

static unsigned int number(const struct firmware *f, size_t at, size_t bytes)
{
	unsigned int x = 0;

	if (at + bytes > f->byte[1] || at + bytes > f->n)
		return 0;
	for (size_t i = bytes; i-- > 0;)
		x = x << 8 | f->byte[at + i];
	return x;
}

/* Text number @which, from 1 on; "" if there is none. */
static const char *text(const struct firmware *f, unsigned int which)
{
	size_t at = f->byte[1];

	for (; which > 1 && at < f->n && f->byte[at]; which--)
		at += strlen((const char *)f->byte + at) + 1;
	return which && at < f->n ? (const char *)f->byte + at : "";
}

/* What sort of memory: table 77 of the specification. */
static const char *sort(unsigned int type)
{
	static const char *const names[] = {
		[0x12] = "DDR",	   [0x13] = "DDR2",   [0x18] = "DDR3",
		[0x1a] = "DDR4",   [0x1b] = "LPDDR",  [0x1c] = "LPDDR2",
		[0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x20] = "HBM",
		[0x21] = "HBM2",   [0x22] = "DDR5",   [0x23] = "LPDDR5",
	};

	return type < sizeof(names) / sizeof(*names) ? names[type] : NULL;
}

/* Structure 17, a memory device: DMTF DSP0134, "System Management BIOS (SMBIOS)
 * Reference Specification", 3.7, section 7.18. NULL of an empty socket. */
static json_t *module_facts(const char *path, const char *name)
{
	char *raw = text_format("%s/raw", path);
	FILE *in = strncmp(name, "17-", 3) ? NULL : fopen(raw, "re");
	struct firmware f = { .n = 0 };
	json_int_t mib, speed;

	free(raw);
	if (!in)
		return NULL;
	f.n = fread(f.byte, 1, sizeof(f.byte) - 1, in);
	fclose(in);
	mib = number(&f, 0x0c, 2);
	if (mib == 0x7fff)
		mib = number(&f, 0x1c, 4) & 0x7fffffff;
	else if (mib == 0xffff)
		mib = 0; /* not known */
	else if (mib & 0x8000)
		mib = (mib & 0x7fff) / 1024; /* in KiB */
	if (!mib)
		return NULL;
	speed = number(&f, 0x20, 2);
	speed = speed ? speed : number(&f, 0x15, 2);
	return json_pack("{s:o, s:I, s:o, s:o, s:o}", "name",
			 machine_string(text(&f, number(&f, 0x10, 1))),
			 "size_bytes", mib << 20, "type",
			 machine_string(sort(number(&f, 0x12, 1))), "mt_s",
			 speed ? json_integer(speed) : json_null(),
			 "width_bits", json_integer(number(&f, 0x0a, 2)));
}

json_t *machine_links(const char *root)
{
	return each(root, "/sys/class/net", link_facts);
}

json_t *machine_disks(const char *root)
{
	return each(root, "/sys/block", disk_facts);
}

json_t *machine_modules(const char *root)
{
	return each(root, "/sys/firmware/dmi/entries", module_facts);
}
