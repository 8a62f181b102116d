/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "tap.h"

static char root[] = "/tmp/test-devices-XXXXXX";

static void run(char *command)
{
	if (system(command))
		printf("# %s failed\n", command);
	free(command);
}

/* A file below root with these bytes. */
static void put(const char *dir, const char *file, const void *bytes, size_t n)
{
	char *path = text_format("%s%s/%s", root, dir, file);
	FILE *f;

	run(text_format("mkdir -p %s%s", root, dir));
	f = fopen(path, "w");
	if (f) {
		fwrite(bytes, 1, n, f);
		fclose(f);
	}
	free(path);
}

static void line(const char *dir, const char *file, const char *text)
{
	put(dir, file, text, strlen(text));
}

static void is(json_t *got, const char *want, const char *what)
{
	json_t *expected = json_loads(want, 0, NULL);

	if (!OK(json_equal(got, expected), what))
		printf("# %s\n", json_dumps(got, 0));
	json_decref(expected);
	json_decref(got);
}

#define ENTRIES "/sys/firmware/dmi/entries"

/* A module of @mib MiB in socket "DIMM A1", DDR5, 64 bits, as the firmware's
 * structure 17 has it; @extended where the short field is full. */
static void module(const char *entry, unsigned int mib, unsigned int extended)
{
	unsigned char b[0x60] = { 17, 0x28, 1, 0 };
	char *dir = text_format("%s/%s", ENTRIES, entry);

	b[0x08] = 72;
	b[0x0a] = 64;
	b[0x0c] = (unsigned char)mib;
	b[0x0d] = (unsigned char)(mib >> 8);
	b[0x10] = 2;
	b[0x12] = 0x22;
	b[0x15] = 0xc0; /* 5600 */
	b[0x16] = 0x15;
	for (int i = 0; i < 4; i++)
		b[0x1c + i] = (unsigned char)(extended >> (8 * i));
	b[0x20] = 0xc0; /* runs at 4800 */
	b[0x21] = 0x12;
	memcpy(b + 0x28, "BANK 0\0DIMM A1\0", 16);
	put(dir, "raw", b, 0x28 + 17);
	free(dir);
}

static void modules(void)
{
	is(machine_modules(root), "[]", "no table: none is known");
	module("17-0", 16384, 0);
	module("17-1", 0, 0); /* an empty socket */
	module("17-2", 0x7fff, 65536);
	line(ENTRIES "/17-3", "raw", "\x11");
	line(ENTRIES "/16-0", "raw", "\x10\x17");
	is(machine_modules(root),
	   "[{\"name\": \"DIMM A1\", \"size_bytes\": 17179869184, "
	   "\"type\": \"DDR5\", \"mt_s\": 4800, \"width_bits\": 64},"
	   "{\"name\": \"DIMM A1\", \"size_bytes\": 68719476736, "
	   "\"type\": \"DDR5\", \"mt_s\": 4800, \"width_bits\": 64}]",
	   "two modules; neither an empty socket nor a broken structure");
}

static void devices(void)
{
	const char *disk = "/sys/block/nvme0n1", *card = "/sys/class/net/eth0";

	run(text_format("mkdir -p %s%s/device/device %s%s/device", root, disk,
			root, card));
	line("/sys/block/nvme0n1", "size", "2048\n");
	line("/sys/block/nvme0n1/queue", "rotational", "0\n");
	line("/sys/block/nvme0n1/device", "model", "SSD 1  \n");
	line("/sys/block/nvme0n1/device/device", "current_link_speed",
	     "8.0 GT/s PCIe\n");
	line("/sys/block/nvme0n1/device/device", "current_link_width", "4\n");
	run(text_format("ln -s ../../../../class/nvme %s%s/device/subsystem",
			root, disk));
	line("/sys/class/net/eth0", "speed", "-1\n");
	line("/sys/class/net/eth0/device", "uevent", "DRIVER=x\n");
	run(text_format("ln -s ../../../bus/virtio %s%s/device/subsystem", root,
			card));
	run(text_format("mkdir -p %s/sys/class/net/br0 %s/sys/block/loop0",
			root, root));
	is(machine_disks(root),
	   "[{\"name\": \"nvme0n1\", \"model\": \"SSD 1\", \"bus\": "
	   "\"nvme, 8.0 GT/s PCIe x4\", \"size_bytes\": 1048576, "
	   "\"rotates\": false}]",
	   "a disk, and the link of the device above it");
	is(machine_links(root),
	   "[{\"name\": \"eth0\", \"bus\": \"virtio\", \"mbit_s\": null}]",
	   "a card that says no speed; no bridge");
}

int main(void)
{
	if (!mkdtemp(root))
		return 1;
	modules();
	devices();
	run(text_format("rm -rf %s", root));
	return tap_done();
}
